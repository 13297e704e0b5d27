import type { Program } from '../../store/program.ts';
import { noDriver, type RunRow } from '../../store/rows.ts';
import { begin, type Moved, move, pathOf } from '../machine/decide.ts';
import type { CommitScope, EngineEvent, MachineHost } from '../machine/machine-host.ts';
import {
  type CommitOptions,
  Fenced,
  hold,
  noInputs,
  redacted,
  scopeOf,
  stored,
  type Transition,
  writeActions,
  writeRest,
} from './commit.ts';
import { LeftFor, refuseLeaving, refuseOtherUsers } from './errors.ts';
import { type LinkOptions, refuseWithoutParent } from './links.ts';
import { ask } from './statements.ts';

/** The run to create exists. */
export class Exists extends LeftFor {}

export interface Creation {
  tenant: number;
  id: string;
  sessionKey: string;
  /** The user for whom it is; a new session belongs to that user. Default: no user in particular. */
  user?: string | null;
  input: unknown;
  options: LinkOptions & { machine: string };
  /**
   * Throws when the run must not wait for this one, which is at the head of its lane. Returns whether it waits only if some
   * process moves that one on. Default: it waits for any, however long that rests.
   */
  waitsFor?: (head: RunRow) => boolean;
  /** Writes rows in the same commit as the run: its prompt. */
  writes: (scope: CommitScope) => Program<void>;
  /** See {@link Fact.inputs}: of the effects that the first transition creates. */
  inputs?: ReadonlyMap<number, string>;
  /** Throws {@link Exists} if there is a run of this id; without it that is a fault of the store. */
  isRepeatable?: boolean;
  /**
   * The run is left to whichever driver wants it: its maker does not have it, and its effects stay `pending`. `queued`: only if it does
   * not start at once.
   */
  isLeft?: boolean | 'queued';
  /** It waits for its turn also in a free lane: the commit that makes it frees the lane, and what then follows starts it. */
  isQueued?: boolean;
  at: number;
  /** Epoch of the driver that makes it, and moves it unless it is left; null for whichever wants it. */
  driver: number | null;
}

/**
 * The program that makes a run. It queues the run in its session's lane, and starts it in the same commit if the lane
 * is free.
 *
 * @throws Exists; ParentLeft for a linked run whose parent does not wait for it any more.
 */
export function* create(creation: Creation, options: CommitOptions): Program<Transition> {
  const { tenant, at, isLeft, inputs = noInputs } = creation;
  const maker = isLeft === true ? null : creation.driver;
  const { host } = options;
  if (maker !== null && (yield* ask('findDriver', { epoch: maker }))?.endedAt !== null) throw new Fenced();
  const existing = creation.isRepeatable && (yield* ask('loadRun', { tenant, id: creation.id }));
  if (existing) throw new Exists(existing);
  yield* refuseWithoutParent(tenant, creation.options);
  const { sessionKey, user = null } = creation;
  const found = yield* ask('findSession', { tenant, key: sessionKey });
  if (found) refuseOtherUsers(found, sessionKey, user);
  if (!found) yield* refuseLeaving(tenant, user);
  const session = found ?? (yield* ask('insertSession', { tenant, key: sessionKey, user, at }));
  // A new session has no runs, and nobody else can add one before this commit.
  const last = found && (yield* ask('lastOrdinal', { session: session.pk }));
  const head = found && (yield* ask('laneHead', { session: session.pk }));
  if (head) creation.waitsFor?.(head);
  const isBegun = !head && !creation.isQueued;
  const driver = isBegun || isLeft !== 'queued' ? maker : null;
  const input = redacted(creation.input, options);
  const idle = begin(host, input);
  const blank = {
    tenant,
    id: creation.id,
    session: session.pk,
    ordinal: (last?.ordinal ?? 0) + 1,
    machine: host.id,
    version: host.version,
    seq: 0,
    ended: 0 as const,
    state: JSON.stringify(idle.snapshot.value),
    context: JSON.stringify(idle.snapshot.context),
    input: JSON.stringify(input),
    options: JSON.stringify({
      ...creation.options,
      ...(host.fingerprint !== undefined && { chart: host.fingerprint }),
    }),
    output: null,
    driver,
    // Without one it would count as a fork, which waits until it is resumed.
    lastDriver: driver ?? noDriver,
    fence: 1,
    createdAt: at,
  };
  const start = { event: { type: host.startEvent }, at, inputs };
  const next = isBegun
    ? stored(blank, begun(host, idle, { ...start.event, at }), at, options)
    : { row: blank, moved: idle };
  const { pk } = yield* ask('insertRun', next.row);
  const row: RunRow = { ...blank, pk, sessionKey, user: found ? found.user : user, faults: 0, updatedAt: at };
  const creating: EngineEvent = { type: 'run.create' };
  const scope = scopeOf(row, 0, { event: creating, at }, options);
  yield* creation.writes(scope);
  const written = isBegun
    ? yield* writeRest({ ...row, ...next.row }, next.moved, start, options)
    : {
        ...(yield* writeActions(row, 0, idle, { event: creating, at, inputs }, options)),
        ...{ row, snapshot: idle.snapshot, event: creating, at, path: pathOf(idle.snapshot.value) },
      };
  return {
    ...written,
    messages: [...scope.messages, ...written.messages],
    letters: [...scope.letters, ...written.letters],
    held: hold(host, row),
  };
}

/** A run that starts as soon as it is made. @param idle as it is made */
function begun(host: MachineHost, idle: Moved, start: EngineEvent): Moved {
  const moved = move(host, idle.snapshot, start);
  if (!moved) throw new Error(`machine "${host.id}" does not take its own start event "${host.startEvent}"`);
  // The timer of the queue is never written, so there is nothing to clear.
  const cleared = new Set(
    moved.actions.flatMap(({ type, params }) => (type === 'timer.clear' ? [params.id] : [])),
  );
  const idles = idle.actions.filter(({ type, params }) => type !== 'timer.set' || !cleared.has(params.id));
  const starts = moved.actions.filter(({ type }) => type !== 'timer.clear');
  return { snapshot: moved.snapshot, actions: [...idles, ...starts] };
}
