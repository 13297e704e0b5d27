import type { AnyMachineSnapshot, StateValue } from 'xstate';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { isObject, type JsonObject } from '../../protocol/json.ts';
import type { Program } from '../../store/program.ts';
import type { EffectRow, RunRow, TimerRow } from '../../store/rows.ts';
import { shortHash } from '../../text/ids.ts';
import { Fenced } from '../commit/commit.ts';
import { ask, tell } from '../commit/statements.ts';
import { begin, move, pathOf, restore } from './decide.ts';
import type { EngineEvent, MachineHost, MigrationResult } from './machine-host.ts';
import { timersOf } from './machine-host.ts';
import { type MigrationPath, optionsAfter } from './machine-hosts.ts';

/** The event type of a migration. Its body holds both versions and the whole result, so a replay can begin there. */
export const migratedEvent = 'run.migrated';

/** `from` and `to` are versions of the run's machine. */
export interface MigratedBody {
  from: number;
  to: number;
  value: StateValue;
  context: JsonObject;
  /** The fingerprint of the newer version, if it has one. */
  chart?: string;
}

/** A committed transition. */
export interface Committed {
  row: RunRow;
  event: EngineEvent;
  at: number;
  path: string;
}

/** Rolls a transaction back because the run is of an earlier version and must be migrated first. */
export class Unmigrated extends Error {
  readonly row: RunRow;

  constructor(row: RunRow) {
    super(`run ${row.id} is of version ${row.version}`);
    this.row = row;
  }
}

interface Rows {
  timers: TimerRow[];
  effects: EffectRow[];
}

interface Changing {
  run: number;
  rows: Rows;
  at: number;
}

type Stored = Pick<RunRow, 'id' | 'machine' | 'version' | 'state' | 'context' | 'input'>;

/**
 * The program that migrates a run: it writes an event row, the run's row, and its timers and open effects.
 *
 * `updatedAt` stays as it is: a migration is no work, and the take-over event tells the machine how long its run had no
 * driver.
 *
 * @throws DetentError `MIGRATION_FAILED`, and then nothing is written; Fenced when another driver has moved the run.
 */
export function* migrate(
  row: RunRow,
  migrationPath: MigrationPath,
  at: number,
  redact: (text: string) => string,
): Program<Committed> {
  const run = row.pk;
  const before: Rows = {
    timers: yield* ask('listTimers', { run }),
    effects: yield* ask('listOpenEffects', { run }),
  };
  const after: Rows = {
    timers: [...before.timers],
    effects: before.effects.map((effect) => ({ ...effect })),
  };
  const snapshot = migrated(row, migrationPath, { run, rows: after, at });
  agree(row, migrationPath.host, snapshot, after);
  const context = redact(JSON.stringify(snapshot.context));
  const state = JSON.stringify(snapshot.value);
  const seq = row.seq + 1;
  const { version, fingerprint } = migrationPath.host;
  const options = optionsAfter(row, fingerprint);
  const next: RunRow = { ...row, seq, version, state, context, options };
  if ((yield* ask('migrateRun', { ...next, was: row.seq, wasDriver: row.driver })) === 0) throw new Fenced();
  const path = pathOf(snapshot.value);
  const body: MigratedBody = {
    from: row.version,
    to: version,
    value: snapshot.value,
    context: JSON.parse(context),
    ...(fingerprint !== undefined && { chart: fingerprint }),
  };
  yield* tell('insertEvent', {
    run,
    tenant: row.tenant,
    seq,
    type: migratedEvent,
    body: JSON.stringify(body),
    at,
    path,
    hash: shortHash(context),
    inFeed: 1,
  });
  for (const { id } of before.timers)
    if (!after.timers.some((timer) => timer.id === id)) yield* tell('clearTimer', { run, id });
  for (const timer of after.timers) yield* ask('setTimer', { ...timer, tenant: row.tenant });
  for (const { n, name, params } of after.effects) yield* ask('changeEffect', { run, n, name, params });
  return { row: next, event: { type: migratedEvent, ...body }, at, path };
}

/**
 * The run's snapshot after the pending migrations, without writing them.
 *
 * @throws DetentError as `restore` and `migrated` do.
 */
export function readAs(migrationPath: MigrationPath, row: RunRow): AnyMachineSnapshot {
  // A run that has ended needs no migration: it never moves again.
  return migrationPath.steps.length > 0 && !row.ended
    ? migrated(row, migrationPath)
    : restore(migrationPath.host, row);
}

/**
 * Applies the migrations to a run. Pure, so that a replay can do it again.
 *
 * @param changing the timers and effects that the migrations may change, and the current time.
 * @throws DetentError `MIGRATION_FAILED` if a migration throws, or its result is no state in which the machine can
 * rest.
 */
export function migrated(
  row: Stored,
  { host, steps }: MigrationPath,
  changing?: Changing,
): AnyMachineSnapshot {
  let value = JSON.parse(row.state) as StateValue;
  let context: unknown = JSON.parse(row.context);
  for (const step of steps) {
    try {
      const result = step.snapshot({ value, context });
      if (changing) changeRows(changing, result);
      ({ value, context } = JSON.parse(JSON.stringify({ value: result.value, context: result.context })));
    } catch (thrown) {
      throw migrationFailed(
        row,
        host,
        `its migration from version ${step.from} threw: ${messageOf(thrown)}`,
        thrown,
      );
    }
  }
  return resting(row, host, value, context);
}

function resting(row: Stored, host: MachineHost, value: StateValue, context: unknown): AnyMachineSnapshot {
  const state = JSON.stringify(value);
  let snapshot: AnyMachineSnapshot;
  try {
    snapshot = host.machine.resolveState({ value, context });
  } catch (thrown) {
    throw migrationFailed(row, host, messageOf(thrown), thrown);
  }
  if (JSON.stringify(snapshot.value) !== state)
    throw migrationFailed(row, host, `${state} is not a whole state of version ${host.version}`);
  if (snapshot.status !== 'active')
    throw migrationFailed(row, host, `${state} is final, and a migration must not end a run`);
  const fresh = JSON.parse(JSON.stringify(begin(host, JSON.parse(row.input)).snapshot.context)) as object;
  if (!isObject(context)) throw migrationFailed(row, host, 'the context is not an object');
  const missing = Object.keys(fresh).filter((key) => !(key in context));
  if (missing.length > 0) throw migrationFailed(row, host, `the context lacks ${missing.join(', ')}`);
  if (moves(host, snapshot)) throw migrationFailed(row, host, `${state} is left at once, without an event`);
  return snapshot;
}

function moves(host: MachineHost, snapshot: AnyMachineSnapshot): boolean {
  try {
    // No machine handles this event: a transition that it causes would happen without any event.
    return move(host, snapshot, { type: migratedEvent, at: 0 }) !== null;
  } catch {
    return true;
  }
}

function changeRows({ run, rows, at }: Changing, { timers = {}, effects = {} }: MigrationResult): void {
  const old = new Map(rows.timers.map((timer) => [timer.id, timer]));
  const next = new Map(old);
  for (const [id, change] of Object.entries(timers)) {
    if (change && 'was' in change) next.delete(change.was);
    else if (!change) next.delete(id);
  }
  for (const [id, change] of Object.entries(timers)) {
    if (!change) continue;
    if ('delayMs' in change) next.set(id, { run, id, event: change.event, dueAt: at + change.delayMs });
    else {
      const was = old.get(change.was);
      if (!was) throw new Error(`the run has no timer "${change.was}"`);
      next.set(id, { ...was, id, event: change.event });
    }
  }
  rows.timers = [...next.values()];
  for (const [n, change] of Object.entries(effects)) {
    const effect = rows.effects.find((open) => open.n === Number(n));
    if (!effect) throw new Error(`the run has no open effect ${n}`);
    effect.name = change.name ?? effect.name;
    if (change.params) effect.params = JSON.stringify(change.params);
  }
}

/**
 * @throws DetentError `MIGRATION_FAILED` if rows and machine wait for different things: the run would stand still for
 * ever.
 */
function agree(row: Stored, host: MachineHost, snapshot: AnyMachineSnapshot, rows: Rows): void {
  const { set, cleared } = host.timersOf?.(snapshot) ?? timersOf(snapshot);
  const due = new Map(rows.timers.map(({ id, event }) => [id, event]));
  for (const [id, event] of set)
    if (due.get(id) !== event)
      throw migrationFailed(
        row,
        host,
        `${pathOf(snapshot.value)} needs a timer "${id}" with event "${event}", and the run has ${due.get(id) ?? 'none'}`,
      );
  const stray = [...due.keys()].find((id) => !set.has(id) && !cleared.has(id));
  if (stray !== undefined)
    throw migrationFailed(row, host, `nothing in ${pathOf(snapshot.value)} waits for its timer "${stray}"`);
  const awaited = new Set(host.awaited(snapshot.context));
  const open = new Set(rows.effects.map(({ n }) => n));
  const isSame = awaited.size === open.size && [...awaited].every((n) => open.has(n));
  if (!isSame)
    throw migrationFailed(
      row,
      host,
      `the context awaits effects ${list(awaited)}, and the run's open ones are ${list(open)}`,
    );
  const unknown = rows.effects.find(({ name }) => !(name in host.effects));
  if (unknown) throw migrationFailed(row, host, `version ${host.version} has no effect "${unknown.name}"`);
}

const list = (numbers: ReadonlySet<number>) => [...numbers].join(', ') || 'none';

function migrationFailed(
  { id, machine, version }: Stored,
  host: MachineHost,
  why: string,
  cause?: unknown,
): DetentError {
  return new DetentError(
    'MIGRATION_FAILED',
    `run ${id} cannot be migrated to version ${host.version} of machine "${machine}": ${why}; ` +
      `correct the migration, or resume the run with a program that has version ${version}`,
    { details: { runId: id, machine, from: version, to: host.version, reason: why }, cause },
  );
}
