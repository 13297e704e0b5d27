import type { AnyMachineSnapshot } from 'xstate';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { isObject, parseJson } from '../../protocol/json.ts';
import type { EventRow, RunRow } from '../../store/rows.ts';
import { shortHash } from '../../text/ids.ts';
import { type Action, begin, move, pathOf, restore } from '../machine/decide.ts';
import type { MachineHost } from '../machine/machine-host.ts';
import { type MachineHosts, type MigrationPath, optionsAfter, stepsFrom } from '../machine/machine-hosts.ts';
import { type MigratedBody, migrated, migratedEvent } from '../machine/migrate.ts';

/** Where a fold of the log first differs from what was stored. */
export interface Divergence {
  /** The transition; for `row`, the last one. */
  seq: number;
  /**
   * `gap`: a transition is missing. `ignored`: the machine does not accept this event there. `broken`: the event cannot
   * be read, or makes the machine throw. `row`: the log is consistent, but the run's own row differs from it.
   */
  what: 'path' | 'hash' | 'ignored' | 'gap' | 'broken' | 'row';
  /** For `row`: the column. */
  field?: string;
  stored: string;
  folded: string;
}

/** One folded transition of a log. */
export interface FoldedTransition {
  event: EventRow;
  /** The version of the machine that the run has after it. */
  host: MachineHost;
  /** The version before it: a different one if it is a migration. */
  hostBefore: MachineHost;
  before: AnyMachineSnapshot;
  snapshot: AnyMachineSnapshot;
  actions: Action[];
  /** The context after it, as stored. */
  context: string;
  /** Whether secrets were taken out of it, so that it is not the snapshot's. */
  isRedacted: boolean;
}

/** Thrown by {@link Fold} where the log and the machine differ. */
export class Diverged extends Error {
  readonly divergence: Divergence;

  constructor(divergence: Divergence) {
    super(`the log diverges at seq ${divergence.seq}`);
    this.divergence = divergence;
  }
}

/** What a fold needs of a run's row besides its log. */
type Folding = Pick<RunRow, 'id' | 'machine' | 'version' | 'input' | 'options'>;

/** One machine, or all registered ones. */
export type Machines = MachineHost | Pick<MachineHosts, 'of'>;

const asItIs = (text: string) => text;

/** Where a fold begins: a version of the machine, and the state and context (JSON) after the transition `seq`. */
interface FoldStart {
  version: number;
  seq: number;
  state: string;
  context: string;
}

/**
 * Folds a log, transition by transition, and compares each with what was stored. It executes no effect. Its reader brings one
 * event after the other: from the start of the log or from one of its migrations on.
 */
export class Fold {
  readonly #machines: Machines;
  #row: Folding;
  readonly #redact: (text: string) => string;
  #host: MachineHost;
  #stored: { state: string; context: string };
  #seq: number;
  /** Whether the state before the next event is not known: a migration that comes first is taken as it was stored. */
  #isBlind: boolean;

  private constructor(
    machines: Machines,
    row: Folding,
    { version, seq, ...stored }: FoldStart,
    { redact, isBlind }: { redact: (text: string) => string; isBlind: boolean },
  ) {
    this.#machines = machines;
    this.#row = row;
    this.#redact = redact;
    this.#host = hostOf(machines, { ...row, version });
    this.#stored = stored;
    this.#seq = seq;
    this.#isBlind = isBlind;
  }

  /**
   * @param events its first one and its migrations (`listFoldStarts`) are enough.
   * @param redact takes secrets out of every context, as before it was stored.
   * @throws DetentError as `next` does.
   */
  static of(
    machines: Machines,
    row: Folding,
    events: readonly EventRow[],
    redact: (text: string) => string = asItIs,
  ): Fold {
    const [first] = events;
    const version = firstVersion(row, events);
    const stored = firstStored(hostOf(machines, { ...row, version }), row);
    const isBlind = first?.type === migratedEvent;
    const seq = isBlind ? first.seq - 1 : 0;
    return new Fold(machines, row, { version, seq, ...stored }, { redact, isBlind });
  }

  /** A fold of the transitions after the one that the run's row shows. */
  static after(
    machines: Machines,
    row: Folding & FoldStart,
    redact: (text: string) => string = asItIs,
  ): Fold {
    const { version, seq, state, context } = row;
    return new Fold(machines, row, { version, seq, state, context }, { redact, isBlind: false });
  }

  /** The machine, in the version that the run has before the next event. */
  get host(): MachineHost {
    return this.#host;
  }

  /** The snapshot before the next event. */
  get snapshot(): AnyMachineSnapshot {
    return restore(this.#host, { ...this.#row, version: this.#host.version, ...this.#stored });
  }

  /**
   * @throws Diverged at the first difference; DetentError `MIGRATION_NEEDED` if a version of the machine is not registered,
   * `CHART_CHANGED` if it is another chart.
   */
  next(event: EventRow): FoldedTransition {
    const { seq } = event;
    const hostBefore = this.#host;
    const diverged = (what: Divergence['what'], said: string, found: string) =>
      new Diverged({ seq, what, stored: said, folded: found });
    if (seq !== this.#seq + 1) throw diverged('gap', String(seq), String(this.#seq + 1));
    // Read the context back from JSON between two transitions, as a driver does with a stored run.
    const before = this.snapshot;
    const moved = event.type === migratedEvent ? this.#migrated(event) : applied(hostBefore, before, event);
    if (!moved) throw diverged('ignored', event.path, pathOf(before.value));
    const { snapshot, actions } = moved;
    const path = pathOf(snapshot.value);
    if (path !== event.path) throw diverged('path', event.path, path);
    const plain = JSON.stringify(snapshot.context);
    const context = shortHash(plain) === event.hash ? plain : this.#redact(plain);
    if (shortHash(context) !== event.hash) throw diverged('hash', event.hash, shortHash(context));
    this.#seq = seq;
    this.#isBlind = false;
    this.#stored = { state: JSON.stringify(snapshot.value), context };
    const isRedacted = context !== plain;
    return { event, host: this.#host, hostBefore, before, snapshot, actions, context, isRedacted };
  }

  /** Migrates again if the migration is registered. Otherwise, and at the start of the fold, uses the stored result. */
  #migrated(event: EventRow): { snapshot: AnyMachineSnapshot; actions: Action[] } {
    const { from, to, value, context, chart } = eventBody(event) as MigratedBody;
    const stored = this.#stored;
    // While a run is followed, its row is older than its log.
    const row = { ...this.#row, options: optionsAfter({ ...this.#row, version: from }, chart) };
    this.#row = row;
    const host = hostOf(this.#machines, { ...row, version: to });
    this.#host = host;
    const steps = stepsFrom(from, host);
    const result = { state: JSON.stringify(value), context: JSON.stringify(context) };
    const snapshot =
      this.#isBlind || steps.length === 0
        ? restore(host, { ...row, version: to, ...result })
        : again(event, { ...row, version: from, ...stored }, { host, steps });
    return { snapshot, actions: [] };
  }
}

function again(
  event: EventRow,
  run: Parameters<typeof migrated>[0],
  migrationPath: MigrationPath,
): AnyMachineSnapshot {
  try {
    return migrated(run, migrationPath);
  } catch (error) {
    throw broken(event, messageOf(error));
  }
}

function hostOf(machines: Machines, row: Folding): MachineHost {
  return 'of' in machines ? machines.of(row) : machines;
}

/** The version at the beginning of a log. The run's row has the version after its last migration. */
export function firstVersion(row: Folding, events: readonly EventRow[]): number {
  const migration = events.find(({ type }) => type === migratedEvent);
  if (!migration) return row.version;
  const { from, to } = eventBody(migration) as MigratedBody;
  return migration === events[0] ? to : from;
}

function firstStored(host: MachineHost, row: Folding): { state: string; context: string } {
  const { snapshot } = begin(host, JSON.parse(row.input));
  return { state: JSON.stringify(snapshot.value), context: JSON.stringify(snapshot.context) };
}

function applied(host: MachineHost, before: AnyMachineSnapshot, event: EventRow) {
  const { type, at } = event;
  const rest = eventBody(event);
  try {
    return move(host, before, { type, at, ...rest });
  } catch (error) {
    throw broken(event, messageOf(error));
  }
}

function eventBody(event: EventRow): object {
  const body = parseJson(event.body);
  if (!isObject(body)) throw broken(event, 'is not a JSON object');
  return body;
}

function broken({ seq, body }: EventRow, why: string): Diverged {
  return new Diverged({ seq, what: 'broken', stored: body, folded: why });
}

/** The result of a replay. */
interface Replayed {
  diverged: Divergence | null;
  /** How many transitions were folded and agree with the log. */
  folded: number;
  /** How many transitions cannot be folded, because a migration from a version that is not registered comes after them. */
  unfolded?: number;
}

/**
 * Folds a run's log through its machine. Compares state and context at every transition, and the result with the run's
 * own row. It executes no effect.
 *
 * @param events the whole log, in order.
 * @param redact takes secrets out of every context, as before it was stored.
 * @throws DetentError `MIGRATION_NEEDED` if the run's current version of the machine is not registered, `CHART_CHANGED` if it
 * is another chart.
 */
export function replay(
  machines: Machines,
  row: RunRow,
  events: readonly EventRow[],
  redact: (text: string) => string = asItIs,
): Replayed {
  const replaying = new Replay(machines, row, events, redact);
  for (const event of events) replaying.take(event);
  return replaying.end();
}

/** A {@link replay} whose reader brings one event after the other. */
export class Replay {
  readonly #row: RunRow;
  readonly #redact: (text: string) => string;
  readonly #host: MachineHost;
  readonly #fold: Fold;
  /** Whether the whole log can be folded, from its first transition on. */
  readonly isWhole: boolean;
  /** The first transition that can be folded. */
  readonly #from: number;
  /** How many transitions were folded, and agree with the log. */
  folded = 0;
  /** The first difference so far. */
  diverged: Divergence | null = null;
  #unfolded = 0;
  #last: FoldedTransition | null = null;

  /** @param starts the log's first event and its migrations. @throws DetentError as {@link replay} does. */
  constructor(
    machines: Machines,
    row: RunRow,
    starts: readonly EventRow[],
    redact: (text: string) => string = asItIs,
  ) {
    this.#row = row;
    this.#redact = redact;
    this.#host = hostOf(machines, row);
    const foldable = foldableFrom(machines, row, starts);
    this.isWhole = foldable[0] === starts[0];
    this.#from = foldable[0]?.seq ?? 0;
    this.#fold = Fold.of(machines, row, foldable, redact);
  }

  /** Null for a transition that cannot be folded, and behind the first difference. */
  take(event: EventRow): FoldedTransition | null {
    if (event.seq < this.#from) this.#unfolded++;
    if (event.seq < this.#from || this.diverged) return null;
    try {
      this.#last = this.#fold.next(event);
      this.folded++;
      return this.#last;
    } catch (error) {
      if (!(error instanceof Diverged)) throw error;
      this.diverged = error.divergence;
      return null;
    }
  }

  end(): Replayed {
    const unfolded = this.#unfolded;
    const diverged = this.diverged ?? againstRow(this.#host, this.#row, this.#last, this.#redact);
    return { diverged, folded: this.folded, ...(unfolded > 0 && { unfolded }) };
  }
}

/**
 * Where a log can be folded: from its start, or from the migration after the last version that is not registered.
 *
 * @param starts the log's first event and its migrations.
 * @returns those from there on.
 */
export function foldableFrom(
  machines: Machines,
  row: Folding,
  starts: readonly EventRow[],
): readonly EventRow[] {
  const places = [0, ...starts.flatMap(({ type }, i) => (type === migratedEvent && i > 0 ? [i] : []))];
  const isHere = (version: number) => {
    try {
      return hostOf(machines, { ...row, version }).version === version;
    } catch (error) {
      if (DetentError.is(error)) return false;
      throw error;
    }
  };
  const first = places.findLastIndex((place) => !isHere(firstVersion(row, starts.slice(place))));
  return starts.slice(places[first + 1] ?? 0);
}

/** The first column of the run's row that differs from its log. */
function againstRow(
  host: MachineHost,
  row: RunRow,
  last: FoldedTransition | null,
  redact: (text: string) => string,
): Divergence | null {
  const { snapshot } = last ?? begin(host, JSON.parse(row.input));
  const seq = last?.event.seq ?? 0;
  const ended = snapshot.status !== 'active';
  const output = ended ? JSON.stringify(snapshot.output ?? null) : null;
  const context = last?.context ?? JSON.stringify(snapshot.context);
  const columns: [field: string, stored: string, folded: string][] = [
    ['seq', String(row.seq), String(seq)],
    ['state', row.state, JSON.stringify(snapshot.value)],
    ['context', row.context, context],
    ['ended', String(row.ended), ended ? '1' : '0'],
    ['output', String(row.output), String(row.output === output ? output : output && redact(output))],
  ];
  const differing = columns.find(([, stored, folded]) => stored !== folded);
  if (!differing) return null;
  const [field, stored, folded] = differing;
  return { seq, what: 'row', field, stored, folded };
}
