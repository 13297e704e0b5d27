import { childEnded, letterOf } from '../../engine/commit.ts';
import { DetentError } from '../../protocol/error.ts';
import type { Program } from '../../store/program.ts';
import type { MessageRow, Row, RunRow } from '../../store/rows.ts';
import { clearing, type SummaryBody } from '../../store/stored-message.ts';
import { noSession } from '../rows/owners.ts';
import { taskSessionsOf } from '../rows/remove-run.ts';
import { ask, tell } from '../rows/statements.ts';
import { refuseTakenOver } from '../takeover/held.ts';

export type SessionRef = Pick<Row<'sessions'>, 'pk' | 'user' | 'headRun' | 'headSeq' | 'title' | 'pinned'>;

const limit = Number.MAX_SAFE_INTEGER;

/** @throws DetentError `NOT_FOUND`. */
export function* findIn(tenant: number, key: string): Program<SessionRef> {
  const session = yield* ask('findSession', { tenant, key });
  if (!session) throw noSession(key);
  return session;
}

/** Hides the messages of a session from later prompts; returns how many. @throws DetentError `NOT_FOUND`, `SESSION_BUSY`. */
export function* clear(tenant: number, key: string, at: number): Program<number> {
  const { pk: session, headRun, headSeq } = yield* findIn(tenant, key);
  yield* refuseTakenOver(session, key);
  yield* refuseBusy(session, key, { lost: new Set(), isForced: false });
  const [last] = yield* ask('listRunsOf', { session, limit: 1 });
  if (!last) return 0;
  const messages = yield* ask('listMessages', { session, run: headRun, seq: headSeq });
  const cleared = messages.filter(({ role }) => role !== 'summary').length;
  if (cleared === 0) return 0;
  const head = { run: last.pk, seq: last.seq + 1 };
  // An empty summary, so that no prompt has the earlier messages. A fork treats it like other summaries.
  const body: SummaryBody = { text: '', effectId: clearing, head, usage: null, costUsd: null };
  const i = 1 + messages.reduce((most, row) => (isAt(row, last) ? Math.max(most, row.i) : most), -1);
  const place = { session, run: last.pk, tenant, seq: last.seq, i };
  yield* tell('insertMessage', { ...place, role: 'summary', body: JSON.stringify(body), at });
  yield* ask('moveSessionHead', { session, ...head });
  return cleared;
}

function isAt({ run, seq }: MessageRow, last: RunRow): boolean {
  return run === last.pk && seq === last.seq;
}

/** Tells the runs that wait for runs which go without an end of their own. */
export function* tellParents(session: number, at: number): Program<void> {
  for (const row of yield* ask('listActiveRunsOf', { session })) {
    const letter = yield* letterOf(row);
    if (!letter) continue;
    const { tenant, pk: run } = letter.to;
    yield* ask('insertCommand', { tenant, run, kind: childEnded, body: JSON.stringify(letter.body), at });
  }
}

/** Removes a session and those of its tasks, with all their rows. @throws DetentError `NOT_FOUND`, `SESSION_BUSY`. */
export function* remove(
  tenant: number,
  key: string,
  force: Force,
): Program<{ runIds: string[]; messages: number }> {
  const { pk: session } = yield* findIn(tenant, key);
  yield* refuseBusy(session, key, force);
  const below = { runIds: [] as string[], messages: 0 };
  for (const child of yield* taskSessions(session)) {
    const gone = yield* remove(tenant, child, force);
    below.runIds.push(...gone.runIds);
    below.messages += gone.messages;
  }
  const messages = (yield* ask('describeSession', { session }))?.messages ?? 0;
  const runs = yield* ask('listRunsOf', { session, limit });
  yield* ask('deleteRunsOf', { session });
  yield* ask('deleteSession', { session });
  // The ledger keeps the cost, without the session's name.
  yield* ask('forgetSessionUsage', { tenant, sessionKey: key });
  // The answer cache does not record sessions, so all of the tenant's cached answers go; models can answer again.
  yield* ask('deleteAnswersOf', { tenant });
  return { runIds: [...runs.map(({ id }) => id), ...below.runIds], messages: messages + below.messages };
}

/** The sessions of this session's tasks. */
export function* taskSessions(session: number): Program<string[]> {
  const keys: string[] = [];
  for (const row of yield* ask('listRunsOf', { session, limit })) keys.push(...(yield* taskSessionsOf(row)));
  return keys;
}

/** What was done to the runs of a session before it goes. */
interface Force {
  /** Runs that this program could not cancel, because it lacks their machine. */
  lost: ReadonlySet<string>;
  /** The others were cancelled; what has not ended yet is a chart that undoes what it did. */
  isForced: boolean;
}

function* refuseBusy(session: number, key: string, { lost, isForced }: Force): Program<void> {
  const active = yield* ask('listActiveRunsOf', { session });
  const runs = active.map(({ id }) => id).filter((id) => !lost.has(id));
  if (runs.length === 0) return;
  throw new DetentError(
    'SESSION_BUSY',
    isForced
      ? `session "${key}" was cancelled, and its chart is compensating (${runs.join(', ')}); continue with "detent runs resume ${runs[0]}", then delete the session again`
      : `session "${key}" has runs that have not ended (${runs.join(', ')}); finish or cancel them first, or use --force to cancel them now`,
    { details: { sessionId: key, runs } },
  );
}
