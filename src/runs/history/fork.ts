import { noteEffect } from '../../engine/commit.ts';
import { takeMessages } from '../../engine/log.ts';
import type { MachineHosts } from '../../engine/machine.ts';
import { providerOf } from '../../models/provider-config.ts';
import { DetentError } from '../../protocol/error.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import type { Endpoint, FollowedSkill, InvokedSkill } from '../../protocol/ports.ts';
import type { Program } from '../../store/program.ts';
import { type MessageRow, noDriver, type RunRow } from '../../store/rows.ts';
import { type RunNeeds, type RunOptions, shownModel } from '../../store/run-options.ts';
import type { UserBody } from '../../store/stored-message.ts';
import { isTakeover, isWorkflowRun, optionsOf } from '../../store/stored-run.ts';
import type { OfRequest } from '../rows/keyed-requests.ts';
import { ask, type Store } from '../rows/statements.ts';
import { optionsOfCopy } from '../rows/sub-run-rows.ts';
import { copyEndedRun, copyMessages, insertRun, type Target } from './copy-run.ts';
import { copyEffects, copyQuestions, effectsAt, openOf, questionsAt } from './fork-rows.ts';
import { headOf, type LoadedRun, loadAt, type Place, runsBefore } from './load-at.ts';

/** `seq` is the last transition that the fork keeps; 0 for none. */
export interface ForkRequest extends Place, OfRequest {
  /** Creates ids for copied rows. May also be called for a fork that fails. */
  newId(kind: 'run' | 'ses' | 'art'): string;
  /** Key of the new session; without it a new id. */
  sessionId?: string;
  /** `provider/model` instead of the run's own. The caller checks that it is available. */
  model?: string;
  /** The address of the model, which the caller has named. */
  endpoint?: Endpoint;
  /** What the fork does with calls that need a person. Default: `configured`, or as the run. */
  approve?: RunOptions['approve'];
  /** The `approve` of the configuration, which the fork of a run with `all` gets. Default `ask`. */
  configured?: RunOptions['approve'];
  /** Who makes it. */
  by?: string;
  /** Replaces the newest message of the user in the fork. */
  editMessage?: string;
  /** The skill that {@link editMessage} names. The fork follows it if that message is the first one of the run. */
  invoked?: InvokedSkill | null;
  /** What the fork needs of the program that drives it. Default: what the run needed. */
  needs?: RunNeeds | null;
  /** Redacts known secrets in text before it is stored. Default: none. */
  redact?(text: string): string;
  /** Now, milliseconds since the epoch. */
  at: number;
}

export interface Forked extends MethodOutput<'run.fork'> {}

/**
 * Creates a new run, in a new session, in the state of a run after one of its transitions. Only reads the original and
 * executes nothing; the fork does not start before it is resumed.
 *
 * The earlier runs of the session are copied whole, since they are its conversation. Settled effects stay settled. Open
 * effects are `pending` again, without attempts. Questions to people stay open, and timers keep their remaining time.
 *
 * What people approved was for the original: the fork has neither its `approve: all` nor the grants of its session, and
 * asks before an open call acts, whoever makes it.
 *
 * @throws DetentError `NOT_FOUND`; `SEQ_OUT_OF_RANGE` with the range; `MIGRATION_NEEDED` when the run is not of this
 * program's machine; `REPLAY_DIVERGED` when its log does not fold; `SESSION_BUSY` when an earlier run of the session has
 * not ended; `SESSION_EXISTS`; `INPUT_NOT_STORED`; `NO_MESSAGE` when there is no message to edit, or none that the model would see; `DATABASE_*` as the store.
 */
export async function forkAt(store: Store, hosts: MachineHosts, request: ForkRequest): Promise<Forked> {
  return store.commit(() => fork(hosts, request));
}

/** What a fork consists of, as the log of the original has it. */
export interface ForkPlan extends Pick<LoadedRun, 'row' | 'was'> {
  redact(text: string): string;
  /** The earlier runs of the session, oldest first, and their messages. */
  earlier: RunRow[];
  passed: MessageRow[];
  /** With the message that the fork changes. */
  messages: readonly MessageRow[];
  /** Where the prompt begins, in the keys of the original. */
  head: { run: number; seq: number };
  /** Its options, with the changes that the fork makes. */
  options: RunOptions;
  effects: ProgramResult<typeof effectsAt>;
  questions: ProgramResult<typeof questionsAt>;
}

type ProgramResult<F extends (...input: never[]) => Program<unknown>> =
  ReturnType<F> extends Program<infer T> ? T : never;

/** Reads and checks everything that a fork needs, and writes nothing. @throws DetentError as {@link forkAt} does. */
export function* planFork(hosts: MachineHosts, request: ForkRequest): Program<ForkPlan> {
  const { tenant, sessionId, redact = (text) => text } = request;
  const loaded = yield* loadAt(hosts, request, redact);
  const { row, was, messages } = loaded;
  if (isTakeover(row))
    throw new DetentError(
      'TAKEN_OVER',
      `run ${row.id} is a takeover of session "${row.sessionKey}": a person cannot be forked; fork a run of the agent`,
      { details: { runId: row.id, sessionId: row.sessionKey } },
    );
  const earlier = yield* endedRunsBefore(row);
  if (sessionId !== undefined && (yield* ask('findSession', { tenant, key: sessionId })))
    throw sessionTaken(sessionId);
  const passed: MessageRow[] = [];
  for (const run of earlier) passed.push(...(yield* takeMessages(run, run.seq)));
  const head = yield* headOf(row, [...passed, ...messages]);
  const isAskedAnew = request.editMessage !== undefined && newestOfUser(messages) === 0;
  return {
    row,
    was,
    redact,
    earlier,
    passed,
    messages: edited(row, messages, request, head, redact),
    head,
    options: optionsOfFork(row, request, isAskedAnew),
    effects: yield* effectsAt(loaded),
    questions: yield* questionsAt(loaded, redact),
  };
}

function* fork(hosts: MachineHosts, request: ForkRequest): Program<Forked> {
  const plan = yield* planFork(hosts, request);
  const { row, was, messages, head, effects } = plan;
  const { tenant, newId, at } = request;
  const sessionId = request.sessionId ?? newId('ses');
  const { pk: session } = yield* ask('insertSession', { tenant, key: sessionId, user: row.user, at });
  const target: Target = { tenant, session, runs: new Map(), at, newId };
  for (const run of plan.earlier) yield* copyEndedRun(run, newId('run'), target);

  const id = newId('run');
  const pk = yield* insertForked(plan, id, target);
  yield* ask('copyEvents', { from: row.pk, run: pk, tenant, upTo: was.seq });
  yield* copyMessages(messages, target);
  if (head.run !== 0)
    yield* ask('moveSessionHead', { session, run: target.runs.get(head.run) ?? 0, seq: head.seq });
  yield* copyPruning(row, request.seq, target);
  yield* copyEffects(effects, pk, target);
  yield* copyQuestions(plan.questions, pk, target);
  for (const [timer, { event, dueAt }] of was.timers)
    yield* ask('setTimer', { run: pk, tenant, id: timer, event, dueAt: at + Math.max(0, dueAt - was.at) });
  const forked = { runId: id, sessionId, open: openOf(effects, plan.redact) };
  yield* noteEffect(tenant, request.requestId, forked);
  return forked;
}

function* endedRunsBefore(row: RunRow): Program<RunRow[]> {
  const earlier = yield* runsBefore(row);
  const busy = earlier.find(({ ended }) => ended === 0);
  if (busy)
    throw new DetentError(
      'SESSION_BUSY',
      `run ${row.id} is queued behind ${busy.id}, which has not ended, so its conversation is not complete; fork ${busy.id}, or wait until it ends`,
      { details: { runId: row.id, behind: busy.id } },
    );
  return earlier;
}

function optionsOfFork(row: RunRow, request: ForkRequest, isAskedAnew: boolean): RunOptions {
  const { model, endpoint, needs, invoked = null } = request;
  const {
    needs: needed,
    requestDigest: _,
    place: __,
    ...options
  } = optionsOf({ options: optionsOfCopy(row.options) });
  const kept = needs === undefined ? needed : needs;
  const forkedFrom = { runId: row.id, seq: request.seq };
  const asked = {
    forkedFrom,
    ...(request.by !== undefined && { by: [...new Set([...(options.by ?? []), request.by])] }),
  };
  if (isWorkflowRun(row)) {
    const ofWorkflow = { ...options, ...asked, forkedAt: request.seq };
    return ofWorkflow as RunOptions;
  }
  return {
    ...options,
    ...asked,
    ...approvalOf(options, request),
    ...(options.call && { call: { ...options.call, again: true } }),
    // A model given by the caller has no fallbacks.
    ...((model !== undefined || endpoint) && {
      ...(model !== undefined && { model }),
      fallbacks: [],
      endpoint: endpoint ?? endpointFor(options, model ?? shownModel(options)),
    }),
    ...(kept && { needs: kept }),
    ...(isAskedAnew && (options.follows || invoked) && { follows: followsOf(options, invoked) }),
  };
}

/** `approve: all` was given for the original's prompt by the original's user, so a fork does not inherit it. */
function approvalOf(
  { approve: own }: RunOptions,
  { approve, configured = 'ask' }: ForkRequest,
): Pick<RunOptions, 'approve' | 'approveGiven'> {
  if (approve === undefined) return { approve: own === 'all' ? configured : own };
  return { approve, ...(approve === 'all' && { approveGiven: true }) };
}

function* insertForked({ row, was, options }: ForkPlan, id: string, target: Target): Program<number> {
  const forked: RunRow = {
    ...row,
    seq: was.seq,
    version: was.version,
    ended: was.ended ? 1 : 0,
    state: was.state,
    context: was.context,
    output: was.ended ? row.output : null,
    options: JSON.stringify(options),
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
export function endpointFor(options: RunOptions, model: string): RunOptions['endpoint'] {
  return providerOf(model) === providerOf(shownModel(options)) ? options.endpoint : null;
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
  { editMessage, invoked = null, at }: ForkRequest,
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
    message === newest ? { ...message, at, body: redact(JSON.stringify(body)) } : message,
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
