import { notFound } from '../../engine/commit.ts';
import { Diverged, takeLog, takeMessages } from '../../engine/log.ts';
import type { MachineHosts } from '../../engine/machine.ts';
import { DetentError } from '../../protocol/error.ts';
import type { Program } from '../../store/program.ts';
import type { MessageRow, RunRow } from '../../store/rows.ts';
import { parseMessage, type SummaryBody } from '../../store/stored-message.ts';
import { isImported } from '../../store/stored-run.ts';
import { breath } from '../../text/limiter.ts';
import { noLog } from '../rows/imported.ts';
import { ask, type RunsStatements, type Store } from '../rows/statements.ts';
import { storyOf, takeQuestions, type WholeStory } from '../story/read-story.ts';
import { RowsAt, type RunAt } from './rows-at.ts';

/** A transition of a run. */
export interface Place {
  tenant: number;
  runId: string;
  /** 0 for the run before its first transition. */
  seq: number;
}

/** A run as it stood after one of its transitions. */
export interface LoadedRun {
  /** The run as it is now. */
  row: RunRow;
  was: RunAt;
  /** What became of its calls and questions, until now. */
  story: WholeStory;
  /** Its own messages up to then. */
  messages: MessageRow[];
}

/**
 * Folds the log of a run up to one of its transitions.
 *
 * @throws DetentError `NOT_FOUND`; `NO_LOG` for an imported run; `SEQ_OUT_OF_RANGE` with the range; `MIGRATION_NEEDED` when
 * the run is not of this program's machine; `REPLAY_DIVERGED` when its log does not fold.
 */
export function* loadAt(
  hosts: MachineHosts,
  { tenant, runId, seq }: Place,
  redact: (text: string) => string,
): Program<LoadedRun> {
  const row = yield* ask('loadRun', { tenant, id: runId });
  if (!row) throw notFound(runId);
  if (isImported(row)) throw noLog(runId);
  if (!Number.isInteger(seq) || seq < 0 || seq > row.seq) throw outOfRange(row, seq);
  const starts = yield* ask('listFoldStarts', { run: row.pk });
  const rows = new RowsAt(hosts, row, starts, redact);
  yield* takeLog(row.pk, { upTo: seq }, (event) => orDiverged(row, () => rows.take(event)));
  const messages = yield* takeMessages(row, row.seq);
  const story = storyOf(messages.map(parseMessage), yield* takeQuestions(row));
  return { row, was: rows.end(), story, messages: messages.filter((message) => message.seq <= seq) };
}

/** Where the prompt began at the end of these messages of a session, in the keys of the original. */
export function* headOf(row: RunRow, messages: readonly MessageRow[]): Program<{ run: number; seq: number }> {
  const nowhere = { run: 0, seq: 0 };
  const summary = messages.findLast(({ role }) => role === 'summary');
  if (!summary) return nowhere;
  const { head } = JSON.parse(summary.body) as SummaryBody;
  if (head) return head;
  const last = yield* ask('lastSummary', { session: row.session });
  const isLast = last?.run === summary.run && last.seq === summary.seq;
  const session = yield* ask('findSession', { tenant: row.tenant, key: row.sessionKey });
  // Without a head the whole conversation is the prompt. If that is too long, it is compacted again.
  return isLast && session ? { run: session.headRun, seq: session.headSeq } : nowhere;
}

/** The earlier runs of the session, oldest first. */
export function* runsBefore(row: RunRow): Program<RunRow[]> {
  const all = yield* ask('listRunsOf', { session: row.session, limit: Number.MAX_SAFE_INTEGER });
  return all.filter(({ ordinal }) => ordinal < row.ordinal).reverse();
}

/** Runs a program that only reads, outside any transaction. */
export async function reading<T>(store: Store, program: Program<T>): Promise<T> {
  let step = program.next();
  while (!step.done) {
    const [name, input] = step.value;
    step = program.next(await store.query(name as keyof RunsStatements, input as never));
    if (name === 'listEvents' || name === 'pageMessagesOfRun') await breath();
  }
  return step.value;
}

function orDiverged(row: RunRow, take: () => void): void {
  try {
    take();
  } catch (error) {
    throw error instanceof Diverged ? divergedAt(row.id, error) : error;
  }
}

/** The error for people about a log that does not fold. */
export function divergedAt(runId: string, { divergence }: Diverged): DetentError {
  const { seq, what } = divergence;
  return new DetentError(
    'REPLAY_DIVERGED',
    `the log of run ${runId} does not fold at seq ${seq} (${what}): what follows is not known; name an earlier seq, and see "detent runs replay ${runId}"`,
    { details: { ...divergence } },
  );
}

function outOfRange({ id, seq: last }: RunRow, seq: number): DetentError {
  return new DetentError(
    'SEQ_OUT_OF_RANGE',
    `run ${id} has the transitions 0 to ${last}, not ${seq}; "detent runs events ${id}" lists them`,
    { details: { runId: id, seq, first: 0, last } },
  );
}
