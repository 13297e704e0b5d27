import { refuseOtherUsers } from '../../engine/errors.ts';
import { checkSessionKey } from '../../protocol/session-key.ts';
import type { StoredTaint, UserBody } from '../../records/messages.ts';
import type { Program } from '../../store/program.ts';
import { importedOptions, writeHistory } from '../imported.ts';
import { ask, type Store } from './statements.ts';

/** A result that appears in the conversation of a session. */
export interface ToldResult {
  tenant: number;
  session: string;
  /** The job's; a new session belongs to this user. */
  user: string | null;
  /** Of the ended run that holds the message: with the same id the message is written once. */
  runId: string;
  jobId: string;
  /** The sources of untrusted text in the result. */
  tainted: readonly StoredTaint[];
  /** As the model of a later run reads it. */
  text: string;
}

interface Telling {
  redact(text: string): string;
  now: number;
  sdkVersion: string;
}

/**
 * Adds a message to a session: an ended run behind those that it has, at work or not. Runs that are made later have it in
 * their prompts. Policy knows the untrusted text that the result was made of.
 *
 * @throws DetentError `SESSION_OF_ANOTHER_USER`, `INVALID_SESSION`.
 */
export async function tellSession(store: Store, result: ToldResult, telling: Telling): Promise<void> {
  checkSessionKey(result.session);
  await store.commit(() => write(result, telling));
}

function* write(result: ToldResult, { redact, now: at, sdkVersion }: Telling): Program<void> {
  const { tenant, session: key, user, runId, jobId } = result;
  if (yield* ask('loadRun', { tenant, id: runId })) return;
  const found = yield* ask('findSession', { tenant, key });
  if (found) refuseOtherUsers(found, key, user);
  const { pk: session } = found ?? (yield* ask('insertSession', { tenant, key, user, at }));
  const last = yield* ask('lastOrdinal', { session });
  const ordinal = (last?.ordinal ?? 0) + 1;
  const text = redact(result.text);
  const body: UserBody = { text, job: { id: jobId }, tainted: [...result.tainted] };
  const options = { ...importedOptions(tenant, user, ''), metadata: { job: jobId } };
  // An export of a session begins with this line.
  const init = { type: 'system.init', session_id: key, sdk_version: sdkVersion };
  const detail = { type: 'detent.message', run_id: runId, run_seq: 1, message: { job: { id: jobId } } };
  const events = [...(ordinal === 1 ? [init] : []), detail, { type: 'user.message', text }];
  const lines = events.map(({ type, ...fields }, i) => ({
    type,
    at,
    text: JSON.stringify({ type, seq: i + 1, ts: at / 1000, ...fields }),
  }));
  const run = yield* writeHistory({ tenant, id: runId, session, ordinal, options, lines });
  const place = { session, run, tenant, seq: lines.length, i: 0, at };
  yield* ask('insertMessage', { ...place, role: 'user', body: JSON.stringify(body) });
}
