import type { AnyMachineSnapshot } from 'xstate';
import type { JsonObject } from '../../protocol/json.ts';
import type { Program } from '../../store/program.ts';
import {
  type EffectRow,
  type EffectStatus,
  type MessageRow,
  noDriver,
  type RunRow,
} from '../../store/rows.ts';
import { shortHash } from '../../text/ids.ts';
import { type Moved, move, pathOf, restore } from '../machine/decide.ts';
import { foldActions } from '../machine/fold-actions.ts';
import type {
  CommitScope,
  EffectJob,
  EngineEvent,
  Fact,
  MachineHost,
  WatcherSignal,
} from '../machine/machine-host.ts';
import { type Addressee, childEnded, letterOf } from './links.ts';
import { isRepeated, noteCommand, type Repeatable } from './noted-requests.ts';
import { ask, tell } from './statements.ts';

/** A run in memory, as the engine keeps it between transitions. */
export interface HotRun {
  row: RunRow;
  snapshot: AnyMachineSnapshot;
  held: Held;
}

/** What all effects of a run share while the engine keeps the run in memory. */
type Held = Pick<EffectJob, 'options' | 'cache'>;

/** Parses a run's options and makes its cache. Called once, when the engine loads the run. */
export function hold(host: MachineHost, { options }: Pick<RunRow, 'options'>): Held {
  return { options: JSON.parse(options), cache: host.newCache() };
}

export interface Delivery extends Fact, Repeatable {
  at: number;
  /** The timer row that fired. */
  timer?: { id: string; dueAt: number };
  /** Checks and changes in the same transaction, before the machine gets the event. A throw rolls everything back. */
  before?: (row: RunRow, at: number) => Program<void>;
  /** The row of a command, which is settled in the same transaction. */
  settles?: { id: number; outcome: string };
}

export interface CommitOptions {
  host: MachineHost;
  /** Whether this engine drives the run, and so performs its effects at once. */
  driven: boolean;
  redact(text: string): string;
}

export interface StartedEffect {
  n: number;
  name: string;
  params: JsonObject;
  input: string | null;
  attempt: number;
}

/** The result of a durable transition. */
export interface Transition extends HotRun {
  event: EngineEvent;
  at: number;
  path: string;
  started: StartedEffect[];
  aborted: number[];
  /** The messages that it wrote. */
  messages: readonly MessageRow[];
  /** The drivers of the runs for which it left commands. */
  letters: readonly Addressee[];
  /** Signals that watchers get after it. */
  emitted: readonly WatcherSignal[];
  /** Due time of the soonest timer it set. */
  wakeAt: number | null;
}

export type Receipt =
  | ({ kind: 'moved' } & Transition)
  /** The machine does not accept this event now; nothing was written. */
  | { kind: 'ignored'; row: RunRow }
  | { kind: 'duplicate'; row: RunRow }
  | { kind: 'ended'; row: RunRow };

/** Another driver moved the run or took it over: this driver must stop writing to it at once. */
export class Fenced extends Error {}

/** Another process has delivered the command. */
export class Settled extends Error {}

/**
 * Checks that a run still has the driver that it had.
 *
 * @throws Fenced when another driver has taken it over.
 */
export function* checkFence({ tenant, id, fence, driver }: RunRow): Program<RunRow> {
  const now = yield* ask('loadRun', { tenant, id });
  if (now?.fence !== fence || now.driver !== driver) throw new Fenced();
  return now;
}

/**
 * The program of one transition: check for a duplicate, ask the machine, write the event, run, effects, timers and
 * domain rows.
 *
 * @throws Fenced when another driver has moved the run; MachineFault when the machine threw.
 */
export function* deliver(hot: HotRun, delivery: Delivery, options: CommitOptions): Program<Receipt> {
  const { row } = hot;
  if (row.ended) return { kind: 'ended', row };
  if (yield* isRepeated(row, delivery)) return yield* unmoved('duplicate', row);
  if (delivery.timer) {
    const fired = yield* ask('fireTimer', { run: row.pk, ...delivery.timer });
    if (fired === 0) return yield* unmoved('duplicate', row);
  }
  const { effectId } = delivery.event;
  if (effectId !== undefined) {
    const status = delivery.settleAs ?? 'done';
    const settled = yield* ask('settleEffect', { run: row.pk, n: effectId, status, at: delivery.at });
    if (settled === 0) return yield* unmoved('duplicate', row);
  }
  if (delivery.before) yield* delivery.before(row, delivery.at);
  const moved = move(options.host, hot.snapshot, { ...delivery.event, at: delivery.at });
  // If another driver has moved the run meanwhile, the rows written above must be rolled back.
  if (!moved) return yield* unmoved('ignored', row);
  const { settles, at } = delivery;
  if (settles && (yield* ask('settleCommand', { ...settles, at })) === 0) throw new Settled();
  yield* noteCommand(row, delivery, at);
  const transition = yield* write(row, moved, delivery, options);
  return { kind: 'moved', ...transition, held: hot.held };
}

/** Zero changed rows mean a duplicate only if the run is still as this driver read it. */
function* unmoved(kind: 'ignored' | 'duplicate', row: RunRow): Program<Receipt> {
  const { seq } = yield* checkFence(row);
  if (seq !== row.seq) throw new Fenced();
  return { kind, row };
}

/** Writes a transition that the machine has made. @throws Fenced when another driver has moved the run. */
function* write(
  row: RunRow,
  moved: Moved,
  delivery: Delivery,
  options: CommitOptions,
): Program<Omit<Transition, 'held'>> {
  const next = stored(row, moved, delivery.at, options);
  // Update the run first: zero changed rows mean that another driver moved it, and nothing else may be written.
  const before = { was: row.seq, wasDriver: row.driver };
  const advanced = yield* ask(next.row.ended ? 'endRun' : 'advanceRun', { ...next.row, ...before });
  if (advanced === 0) throw new Fenced();
  return yield* writeRest(next.row, next.moved, delivery, options);
}

/** The row of a run after a transition, and the transition with the snapshot that a driver would restore from that row. */
export function stored<R extends Pick<RunRow, 'id' | 'version' | 'seq'>>(
  row: R,
  moved: Moved,
  at: number,
  { host, redact }: CommitOptions,
) {
  const { snapshot } = moved;
  const ended = snapshot.status !== 'active';
  const whole = JSON.stringify(snapshot.context);
  const next = {
    ...row,
    seq: row.seq + 1,
    ended: ended ? (1 as const) : (0 as const),
    state: JSON.stringify(snapshot.value),
    context: redact(whole),
    output: ended ? redact(JSON.stringify(snapshot.output ?? null)) : null,
    updatedAt: at,
  };
  // A run that has ended is not moved any more.
  const isSame = ended || next.context === whole;
  return { row: next, moved: isSame ? moved : { ...moved, snapshot: restore(host, next) } };
}

/** Writes all of a transition but the row of its run. @param row after it */
export function* writeRest(
  row: RunRow,
  moved: Moved,
  delivery: Delivery,
  options: CommitOptions,
): Program<Omit<Transition, 'held'>> {
  const { at, event } = delivery;
  const { seq, ended, context } = row;
  const { snapshot } = moved;
  const { type, ...rest } = event;
  const whole = JSON.stringify(rest);
  const body = options.redact(whole);
  const path = pathOf(snapshot.value);
  yield* tell('insertEvent', {
    run: row.pk,
    tenant: row.tenant,
    seq,
    type,
    body,
    at,
    path,
    hash: shortHash(context),
    inFeed: 1,
  });
  const done = yield* writeActions(row, seq, moved, delivery, options);
  const driver = ended ? row.driver : yield* driverAfter(row, snapshot, options);
  if (driver !== row.driver) yield* tell('passRun', { pk: row.pk, driver });
  // Watchers get the redacted event, as the log has it.
  const shown = body === whole ? event : { type, ...JSON.parse(body) };
  const written = driver === row.driver ? row : { ...row, driver };
  return { row: written, snapshot, event: shown, at, path, ...done };
}

/** The driver of a run after a transition: `noDriver` while the run is at rest, null when it wants a driver. */
function* driverAfter(
  row: RunRow,
  snapshot: AnyMachineSnapshot,
  { host, driven }: CommitOptions,
): Program<number | null> {
  if (yield* isAtRest(host, snapshot, row.pk)) return noDriver;
  return driven ? row.driver : null;
}

/** The statuses of open effects that no driver performs or will start: they wait for a person, or for the end of another run. */
const restingStatuses: ReadonlySet<EffectStatus> = new Set(['held', 'uncertain', 'linked']);

/** Whether a run waits for people or other runs alone: nothing of it is performed or about to be. */
export function* isAtRest(host: MachineHost, snapshot: AnyMachineSnapshot, run: number): Program<boolean> {
  if (!host.isParked(snapshot) || snapshot.can({ type: host.startEvent, at: 0 })) return false;
  const open = yield* ask('listOpenEffects', { run });
  return open.every(({ status }) => restingStatuses.has(status));
}

/** How an effect begins: held for a person, or for a driver that performs it. */
type StartOf = Pick<EffectRow, 'driver'> &
  ({ status: 'pending'; attempt: 0 } | { status: 'started'; attempt: 1 });
const held = { status: 'held', attempt: 0, driver: null } as const;

/** Writes what the actions of a machine ask for: effects, timers, and the rows of its host. */
export function* writeActions(
  row: RunRow,
  seq: number,
  moved: Moved,
  delivery: Delivery,
  options: CommitOptions,
): Program<Pick<Transition, 'started' | 'aborted' | 'messages' | 'letters' | 'emitted' | 'wakeAt'>> {
  const { host, driven } = options;
  const { at } = delivery;
  const run = row.pk;
  const folded = foldActions(host, moved.actions);
  const scope = scopeOf(row, seq, delivery, options);
  if (delivery.writes) yield* delivery.writes(scope);
  const { tenant, fence } = row;
  const inputOf = (n: number) => scope.inputs.get(n) ?? null;
  const insert = (n: number, name: string, params: JsonObject, how: StartOf | typeof held) =>
    tell('insertEffect', {
      ...{ run, tenant, n, name, params: JSON.stringify(params), input: inputOf(n), fence, at },
      ...how,
    });
  for (const n of folded.held) yield* insert(n, host.heldEffect, { effectId: n }, held);
  const how: StartOf = driven
    ? { status: 'started', attempt: 1, driver: row.driver }
    : { status: 'pending', attempt: 0, driver: null };
  const started: StartedEffect[] = [];
  for (const { n, name, params: asked } of folded.effects) {
    // The effect is performed from the stored values, as by a driver that reads the row later.
    const params = redacted(asked, options);
    const existed = name === host.heldEffect && !folded.created.includes(n);
    if (existed) yield* ask('startEffect', { run, n, fence, at, attempts: how.attempt, ...how });
    else yield* insert(n, name, params, how);
    if (!driven) continue;
    const effect = existed ? yield* ask('findEffect', { run, n }) : { ...how, input: inputOf(n) };
    if (effect) started.push({ n, name, params, input: effect.input, attempt: effect.attempt });
  }
  if (folded.aborted.length > 0) yield* host.aborting(folded.aborted, scope);
  for (const n of folded.aborted) yield* tell('closeEffect', { run, n, at });
  for (const action of folded.rows) yield* host.rows[action.type]?.(action.params, scope) ?? [];
  let wakeAt: number | null = null;
  for (const [id, timer] of folded.timers) {
    if (!timer) {
      yield* tell('clearTimer', { run, id });
      continue;
    }
    const dueAt = at + timer.delayMs;
    yield* ask('setTimer', { run, tenant: row.tenant, id, event: timer.event, dueAt });
    wakeAt = wakeAt === null ? dueAt : Math.min(wakeAt, dueAt);
  }
  const letter = row.ended ? yield* letterOf(row) : null;
  if (letter) yield* scope.post(letter.to, childEnded, letter.body);
  const { messages, letters, emitted } = scope;
  return { started, aborted: folded.aborted, messages, letters, emitted, wakeAt };
}

/** The value without known secrets, as it is stored. */
export function redacted<T>(value: T, { redact }: CommitOptions): T {
  const plain = JSON.stringify(value);
  const clean = redact(plain);
  return clean === plain ? value : JSON.parse(clean);
}

export const noInputs: ReadonlyMap<number, string> = new Map();

/** What the programs of a commit get that write rows of their own; keeps what they ask for besides. */
export function scopeOf(
  row: RunRow,
  seq: number,
  delivery: Delivery,
  { redact }: CommitOptions,
): CommitScope & { messages: MessageRow[]; letters: Addressee[]; emitted: WatcherSignal[] } {
  const messages: MessageRow[] = [];
  const letters: Addressee[] = [];
  const emitted: WatcherSignal[] = [];
  return {
    messages,
    letters,
    emitted,
    row,
    seq,
    at: delivery.at,
    event: delivery.event,
    nextMessage(role, body) {
      const { session, pk: run } = row;
      const message = { session, run, seq, i: messages.length, role, body, at: delivery.at };
      messages.push(message);
      return message;
    },
    inputs: delivery.inputs ?? noInputs,
    *post({ pk: run, tenant, driver, lastDriver }, kind, body) {
      yield* ask('insertCommand', { tenant, run, kind, body: redact(JSON.stringify(body)), at: delivery.at });
      letters.push({ driver, lastDriver });
    },
    emit: (signal) => void emitted.push(signal),
    redact,
  };
}
