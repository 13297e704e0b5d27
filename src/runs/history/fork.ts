import { notFound } from '../../engine/errors.ts';
import type { MachineHosts } from '../../engine/machine-hosts.ts';
import { Diverged, firstVersion } from '../../engine/replay.ts';
import type { Endpoint } from '../../ports/chat-model.ts';
import type { FollowedSkill, InvokedSkill } from '../../ports/skill-source.ts';
import { DetentError } from '../../protocol/error.ts';
import type { SummaryBody, UserBody } from '../../records/messages.ts';
import type { RunNeeds, RunOptions } from '../../records/run-options.ts';
import { optionsOf } from '../../records/stored-run.ts';
import type { Program } from '../../store/program.ts';
import { type MessageRow, noDriver, type RunRow } from '../../store/rows.ts';
import { noLog } from '../imported.ts';
import { isImported } from '../is-imported.ts';
import { ask, type Store } from '../statements.ts';
import {
  copyEndedRun,
  copyEvents,
  copyMessages,
  eventsOf,
  insertRun,
  messagesOf,
  type Target,
} from './copy-run.ts';
import { copyConfirmations, copyEffects, type OpenEffect } from './fork-rows.ts';
import { type RunAt, runAt } from './rows-at.ts';

export interface ForkRequest {
  tenant: number;
  runId: string;
  /** The last transition that the fork keeps; 0 for none. */
  seq: number;
  /** Creates ids for copied rows. May also be called for a fork that fails. */
  newId(kind: 'run' | 'ses' | 'art'): string;
  /** Key of the new session; without it a new id. */
  sessionId?: string;
  /** `provider/model` instead of the run's own. The caller checks that it is available. */
  model?: string;
  /** The address of the model, which the caller has named. */
  endpoint?: Endpoint;
  /** Replaces the newest message of the user in the fork. */
  editMessage?: string;
  /** The skill that {@link editMessage} names. The fork follows it if that message is the first one of the run. */
  invoked?: InvokedSkill | null;
  /** What the fork needs of the program that makes it, instead of what the run needed. Left out: as the run. */
  needs?: RunNeeds | null;
  /** Redacts known secrets in text before it is stored. Default: none. */
  redact?(text: string): string;
  /** Now, milliseconds since the epoch. */
  at: number;
}

export interface Forked {
  runId: string;
  sessionId: string;
  /** In order of their numbers. */
  open: OpenEffect[];
}

/**
 * Creates a new run, in a new session, in the state of a run after one of its transitions. Only reads the original and
 * executes nothing; the fork does not start before it is resumed.
 *
 * The earlier runs of the session are copied whole, since they are its conversation. Settled effects stay settled. Open
 * effects are `pending` again, without attempts. Questions to people stay open, and timers keep their remaining time.
 *
 * @throws DetentError `NOT_FOUND`; `SEQ_OUT_OF_RANGE` with the range; `MIGRATION_NEEDED` when the run is not of this
 * program's machine; `REPLAY_DIVERGED` when its log does not fold; `SESSION_BUSY` when an earlier run of the session has
 * not ended; `SESSION_EXISTS`; `INPUT_NOT_STORED`; `NO_MESSAGE` when there is no message to edit, or none that the model would see; `DATABASE_*` as the store.
 */
export async function forkAt(store: Store, hosts: MachineHosts, request: ForkRequest): Promise<Forked> {
  return store.commit(() => fork(hosts, request));
}

function* fork(hosts: MachineHosts, request: ForkRequest): Program<Forked> {
  const { tenant, runId, seq, newId, at } = request;
  const redact = request.redact ?? ((text: string) => text);
  const row = yield* ask('loadRun', { tenant, id: runId });
  if (!row) throw notFound(runId);
  if (isImported(row)) throw noLog(runId);
  if (!Number.isInteger(seq) || seq < 0 || seq > row.seq) throw outOfRange(row, seq);
  const earlier = yield* earlierRuns(row);
  const log = yield* eventsOf(row, row.seq);
  const events = log.slice(0, seq);
  const was = stateAt(hosts, { ...row, version: firstVersion(row, log) }, events, redact);
  const messages = yield* messagesOf(row, seq);

  const sessionId = request.sessionId ?? newId('ses');
  if (yield* ask('findSession', { tenant, key: sessionId })) throw sessionTaken(sessionId);
  const { pk: session } = yield* ask('insertSession', { tenant, key: sessionId, at });
  const target: Target = { tenant, session, runs: new Map(), at, newId };
  const passed: MessageRow[] = [];
  for (const run of earlier) {
    yield* copyEndedRun(run, newId('run'), target);
    passed.push(...(yield* messagesOf(run, run.seq)));
  }

  const id = newId('run');
  const isAskedAnew = request.editMessage !== undefined && newestOfUser(messages) === 0;
  const pk = yield* insertForked(row, was, id, target, request, isAskedAnew);
  const head = yield* headOf(row, [...passed, ...messages]);
  yield* copyEvents(events, pk, target);
  yield* copyMessages(edited(row, messages, request, head, redact), target);
  if (head.run !== 0)
    yield* ask('moveSessionHead', { session, run: target.runs.get(head.run) ?? 0, seq: head.seq });
  yield* copyPruning(row, seq, target);
  const open = yield* copyEffects(row, was, pk, target, redact);
  yield* copyConfirmations(row, was, pk, target, redact);
  for (const [timer, { event, dueAt }] of was.timers)
    yield* ask('setTimer', { run: pk, tenant, id: timer, event, dueAt: at + Math.max(0, dueAt - was.at) });
  return { runId: id, sessionId, open };
}

function stateAt(
  hosts: MachineHosts,
  row: RunRow,
  events: Parameters<typeof runAt>[2],
  redact: (text: string) => string,
): RunAt {
  try {
    return runAt(hosts, row, events, redact);
  } catch (error) {
    if (!(error instanceof Diverged)) throw error;
    const { seq, what } = error.divergence;
    throw new DetentError(
      'REPLAY_DIVERGED',
      `run ${row.id} cannot be forked: its log does not fold at seq ${seq} (${what}); fork at an earlier seq, and see "detent runs replay ${row.id}"`,
      { details: { ...error.divergence } },
    );
  }
}

/** The earlier runs of the session, oldest first. */
function* earlierRuns(row: RunRow): Program<RunRow[]> {
  const all = yield* ask('listRunsOf', { session: row.session, limit: Number.MAX_SAFE_INTEGER });
  const earlier = all.filter(({ ordinal }) => ordinal < row.ordinal).reverse();
  const busy = earlier.find(({ ended }) => ended === 0);
  if (busy)
    throw new DetentError(
      'SESSION_BUSY',
      `run ${row.id} is queued behind ${busy.id}, which has not ended, so its conversation is not complete; fork ${busy.id}, or wait until it ends`,
      { details: { runId: row.id, behind: busy.id } },
    );
  return earlier;
}

function* insertForked(
  row: RunRow,
  was: RunAt,
  id: string,
  target: Target,
  { model, endpoint, needs, invoked = null }: ForkRequest,
  isAskedAnew: boolean,
): Program<number> {
  const { needs: needed, requestDigest: _, ...options } = optionsOf(row);
  const kept = needs === undefined ? needed : needs;
  const changes: Partial<RunOptions> = {
    // A model given by the caller has no fallbacks.
    ...((model !== undefined || endpoint) && {
      ...(model !== undefined && { model }),
      fallbacks: [],
      endpoint: endpoint ?? endpointFor(options, model ?? options.model),
    }),
    ...(kept && { needs: kept }),
    ...(isAskedAnew && (options.follows || invoked) && { follows: followsOf(options, invoked) }),
  };
  const forked: RunRow = {
    ...row,
    seq: was.seq,
    version: was.version,
    ended: was.ended ? 1 : 0,
    state: was.state,
    context: was.context,
    output: was.ended ? row.output : null,
    options: JSON.stringify({ ...options, ...changes }),
    // The fork does not start before a resume takes it over.
    driver: noDriver,
    lastDriver: null,
    fence: 0,
  };
  const pk = yield* insertRun(forked, id, target, target.at);
  const { seq, state, context, output } = forked;
  // Working time counts up to the last transition, so the copy keeps the remaining time.
  const last = { pk, was: seq, wasDriver: noDriver, seq, fence: 0, state, context, updatedAt: was.workedAt };
  if (was.ended) yield* ask('endRun', { ...last, output });
  else yield* ask('advanceRun', last);
  return pk;
}

/** The skills of a run with another prompt: without the skill that its old prompt named, with those of its parent. */
function followsOf({ follows = [], parentRunId }: RunOptions, invoked: InvokedSkill | null): FollowedSkill[] {
  return [...(parentRunId === undefined ? [] : follows), ...(invoked ? [invoked.skill] : [])];
}

/** The server of a fork's model: a server given by options applies only to its own provider name. */
export function endpointFor({ model: own, endpoint }: RunOptions, model: string): RunOptions['endpoint'] {
  return providerOf(model) === providerOf(own) ? endpoint : null;
}

function providerOf(model: string): string {
  return model.split('/', 1)[0] ?? '';
}

/** Where the prompt began at the end of these messages, in the original's keys. */
function* headOf(row: RunRow, messages: readonly MessageRow[]): Program<{ run: number; seq: number }> {
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

/** The fork keeps the original's pruning, unless that began after the transition of the fork. */
function* copyPruning(row: RunRow, seq: number, { session, runs }: Target): Program<void> {
  const original = yield* ask('findSession', { tenant: row.tenant, key: row.sessionKey });
  const run = runs.get(original?.prunedRun ?? 0);
  if (!original || run === undefined) return;
  if (original.prunedRun === row.pk && original.prunedSeq > seq) return;
  yield* ask('moveSessionPruning', { session, run, seq: original.prunedSeq });
}

function edited(
  row: RunRow,
  messages: readonly MessageRow[],
  { editMessage, invoked = null }: ForkRequest,
  head: { run: number; seq: number },
  redact: (text: string) => string,
): readonly MessageRow[] {
  if (editMessage === undefined) return messages;
  const newest = messages.findLast(({ role }) => role === 'user');
  if (!newest)
    throw new DetentError(
      'NO_MESSAGE',
      `run ${row.id} has no message of the user up to that transition; fork at a later seq, or send a message after the fork`,
    );
  if (head.run === row.pk ? newest.seq < head.seq : head.run > row.pk)
    throw new DetentError(
      'NO_MESSAGE',
      `a summary has already replaced the newest message of the user, so the model would not see the change; fork run ${row.id} at an earlier seq`,
    );
  const isPrompt = newestOfUser(messages) === 0;
  const text = isPrompt && invoked ? `${editMessage}\n\n${invoked.text}` : editMessage;
  const body: UserBody = { ...JSON.parse(newest.body), text };
  return messages.map((message) =>
    message === newest ? { ...message, body: redact(JSON.stringify(body)) } : message,
  );
}

/** How many messages of the user came before the newest one; -1 when there is none. */
function newestOfUser(messages: readonly MessageRow[]): number {
  return messages.filter(({ role }) => role === 'user').length - 1;
}

function sessionTaken(key: string): DetentError {
  return new DetentError('SESSION_EXISTS', `there is a session "${key}" already; fork to another key`, {
    details: { sessionId: key },
  });
}

function outOfRange({ id, seq: last }: RunRow, seq: number): DetentError {
  return new DetentError(
    'SEQ_OUT_OF_RANGE',
    `run ${id} has the transitions 0 to ${last}, not ${seq}; "detent runs events ${id}" lists them`,
    { details: { runId: id, seq, first: 0, last } },
  );
}
