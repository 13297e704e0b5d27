import { refuseOtherUsers } from '../../engine/commit.ts';
import { checkSessionKey } from '../../protocol/access.ts';
import { importedOptions, writeHistory } from '../../runs/rows.ts';
import type { Program } from '../../store/program.ts';
import type { UserBody } from '../../store/stored-message.ts';
import type { ScheduleParts } from '../door.ts';
import { ask, tell } from '../machine/statements.ts';
import type { Delivery } from './delivery.ts';

type Telling = Pick<ScheduleParts, 'store' | 'clock' | 'redact' | 'sdkVersion'>;

/** A result that appears in the conversation of a session. */
interface ToldResult extends Pick<Delivery, 'tenant' | 'user' | 'jobId' | 'tainted'> {
  session: string;
  /** Of the ended run that holds the message: with the same id the message is written once. */
  runId: string;
  /** As the model of a later run reads it. */
  text: string;
}

/**
 * Adds a message to a session, as an ended run after all runs of the session. Later runs have the message in their
 * prompts. Policy knows the untrusted text that the result was made of. A new session belongs to the job's user.
 *
 * @throws DetentError `SESSION_OF_ANOTHER_USER`, `INVALID_SESSION`.
 */
export async function tellSession(telling: Telling, result: ToldResult): Promise<void> {
  checkSessionKey(result.session);
  await telling.store.commit(() => write(telling, result));
}

function* write({ redact, clock, sdkVersion }: Telling, result: ToldResult): Program<void> {
  const { tenant, session: key, user, runId, jobId, tainted } = result;
  if (yield* ask('loadRun', { tenant, id: runId })) return;
  const at = clock.now();
  const found = yield* ask('findSession', { tenant, key });
  if (found) refuseOtherUsers(found, key, user);
  const { pk: session } = found ?? (yield* ask('insertSession', { tenant, key, user, at }));
  const last = yield* ask('lastOrdinal', { session });
  const ordinal = (last?.ordinal ?? 0) + 1;
  const text = redact(result.text);
  const body: UserBody = { text, job: { id: jobId }, tainted: [...tainted] };
  const options = { ...importedOptions(tenant, user, ''), metadata: { job: jobId } };
  // An export of a session begins with this line.
  const init = { type: 'system.init', session_id: key, sdk_version: sdkVersion() };
  const detail = { type: 'detent.message', run_id: runId, run_seq: 1, message: { job: { id: jobId } } };
  const events = [...(ordinal === 1 ? [init] : []), detail, { type: 'user.message', text }];
  const lines = events.map(({ type, ...fields }, i) => ({
    type,
    at,
    text: JSON.stringify({ type, seq: i + 1, ts: at / 1000, ...fields }),
  }));
  const run = yield* writeHistory({ tenant, id: runId, session, ordinal, options, lines });
  const place = { session, run, tenant, seq: lines.length, i: 0, at };
  yield* tell('insertMessage', { ...place, role: 'user', body: JSON.stringify(body) });
}
