import type { AnyStateMachine } from 'xstate';
import { type ActorEvent, type InspectionMessage, inspectionVersion } from '../../protocol/frames.ts';
import type { RunRow } from '../../store/rows.ts';
import { optionsOf, subRunId } from '../../store/stored-run.ts';
import {
  followSnapshots,
  type Inspected,
  type InspectionParts,
  type InspectionStart,
} from './follow-snapshots.ts';

/** Runs of one inspection; further sub-runs are not in it. */
const maxRuns = 100;
/** Transitions of one run that may wait for a slow reader. */
const maxReady = 32;
/** How often a started call is checked for its sub-run. */
const lookMs = 250;

interface InspectOptions {
  tenant: number;
  runId: string;
  from: InspectionStart;
  /** Whether the sub-runs are in it, from their first transitions on. */
  withSubRuns: boolean;
}

/**
 * A run as the actor that it is, in the messages of `@statelyai/inspect`: the actor, and then an event and a snapshot for each
 * transition. Ends with the run, and when `left` aborts.
 *
 * @throws DetentError as `followSnapshots` does.
 */
export function inspectRun(
  parts: InspectionParts,
  options: InspectOptions,
  left: AbortSignal,
): AsyncGenerator<InspectionMessage> {
  return new Inspection(parts, options, left).messages();
}

/** What is read of one run and waits for its turn. */
interface Lane {
  queue: Inspected[];
  /** Its log is read up to now. */
  isQuiet: boolean;
  /** The transition of the run above it that showed it; null for the run itself. */
  shownBy: { lane: Lane; seq: number } | null;
}

/** Whether what happened first in one run comes before that of another one: by time, and in the same millisecond a run after its cause. */
function happenedBefore(one: Lane, other: Lane): boolean {
  const [first, second] = [one.queue[0], other.queue[0]];
  if (!first || !second) return first !== undefined;
  if (first.at !== second.at) return first.at < second.at;
  if (one.shownBy?.lane === other) return second.seq > one.shownBy.seq;
  return other.shownBy?.lane === one && first.seq <= other.shownBy.seq;
}

/** The messages of a run and its sub-runs, each read by a task of its own, in the order of time. */
class Inspection {
  readonly #parts: InspectionParts;
  readonly #options: InspectOptions;
  readonly #left: AbortSignal;
  readonly #lanes = new Set<Lane>();
  /** The runs that are in it. */
  readonly #runs = new Set<string>();
  /** Sub-runs that calls may have begun, by the run whose calls they are. */
  readonly #awaited = new Map<string, { ids: readonly string[]; lane: Lane; seq: number }>();
  #reading = 0;
  #failure: { error: unknown } | null = null;
  #rootId = '';
  #wake = () => {};
  /** Tasks that wait until messages are taken. */
  #waiting: (() => void)[] = [];

  constructor(parts: InspectionParts, options: InspectOptions, left: AbortSignal) {
    this.#parts = parts;
    this.#options = options;
    this.#left = left;
  }

  async *messages(): AsyncGenerator<InspectionMessage> {
    const ended = new AbortController();
    const left = AbortSignal.any([this.#left, ended.signal]);
    const { runId, from, withSubRuns } = this.#options;
    const wake = () => this.#wake();
    left.addEventListener('abort', wake, { once: true });
    const looking = withSubRuns ? setInterval(() => void this.#look(left), lookMs).unref() : undefined;
    this.#start(runId, from, left, null);
    try {
      while (!left.aborted) {
        const next = this.#next();
        if (next) {
          this.#taken();
          yield* messagesOf(next, { rootId: this.#rootId, runs: this.#runs });
        } else if (this.#failure) throw this.#failure.error;
        else if (this.#reading === 0) return;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      clearInterval(looking);
      ended.abort();
      this.#taken();
    }
  }

  /** The earliest of what is read; undefined while an earlier one may still be read of a run that has none. */
  #next(): Inspected | undefined {
    let earliest: Lane | undefined;
    for (const lane of this.#lanes) {
      if (lane.queue.length === 0 && !lane.isQuiet) return undefined;
      if (!earliest || happenedBefore(lane, earliest)) earliest = lane;
    }
    return earliest?.queue.shift();
  }

  #start(runId: string, from: InspectionStart, left: AbortSignal, shownBy: Lane['shownBy']): void {
    if (this.#runs.has(runId) || this.#runs.size >= maxRuns) return;
    const isRoot = this.#runs.size === 0;
    this.#runs.add(runId);
    this.#reading++;
    const lane: Lane = { queue: [], isQuiet: false, shownBy };
    this.#lanes.add(lane);
    void this.#read(runId, from, left, lane)
      .catch((error) => {
        // A sub-run that cannot be read must not end the others.
        if (isRoot) this.#failure = { error };
      })
      .finally(() => {
        this.#awaited.delete(runId);
        lane.isQuiet = true;
        this.#reading--;
        this.#wake();
      });
  }

  async #read(runId: string, from: InspectionStart, left: AbortSignal, lane: Lane): Promise<void> {
    const { tenant, withSubRuns } = this.#options;
    const onQuiet = (isQuiet: boolean) => {
      lane.isQuiet = isQuiet;
      if (isQuiet) this.#wake();
    };
    for await (const inspected of followSnapshots(this.#parts, tenant, runId, from, left, onQuiet)) {
      if (this.#rootId === '') this.#rootId = await this.#findRoot(inspected.row);
      lane.queue.push(inspected);
      if (withSubRuns) {
        // A sub-run may begin and end between two checks.
        const awaited = this.#awaited.get(runId);
        const ids = [...(awaited?.ids ?? []), ...inspected.children];
        this.#awaited.set(runId, { ids: inspected.children, lane, seq: inspected.seq });
        await this.#lookFor(ids, left, { lane, seq: inspected.seq });
      }
      this.#wake();
      while (lane.queue.length >= maxReady && !left.aborted)
        await new Promise<void>((resolve) => {
          this.#waiting.push(resolve);
        });
    }
  }

  #taken(): void {
    for (const go of this.#waiting.splice(0)) go();
  }

  async #look(left: AbortSignal): Promise<void> {
    // The store is closed or busy; the next check tries again.
    for (const { ids, lane, seq } of [...this.#awaited.values()])
      await this.#lookFor(ids, left, { lane, seq }).catch(() => {});
  }

  async #lookFor(
    runIds: readonly string[],
    left: AbortSignal,
    shownBy: NonNullable<Lane['shownBy']>,
  ): Promise<void> {
    const { store } = this.#parts;
    for (const id of runIds) {
      if (this.#runs.has(id) || left.aborted) continue;
      const row = await store.query('loadRun', { tenant: this.#options.tenant, id });
      if (row) this.#start(id, 'start', left, shownBy);
    }
  }

  async #findRoot(row: RunRow): Promise<string> {
    const { parentRunId: id } = optionsOf(row);
    if (id === undefined) return row.id;
    const parent = await this.#parts.store.query('loadRun', { tenant: row.tenant, id });
    return parent ? this.#findRoot(parent) : id;
  }
}

interface Among {
  rootId: string;
  runs: ReadonlySet<string>;
}

function messagesOf({ row, host, at, event, snapshot }: Inspected, among: Among): InspectionMessage[] {
  const { id: sessionId } = row;
  const { parentRunId: parentId } = optionsOf(row);
  const common = {
    _version: inspectionVersion,
    createdAt: String(at),
    id: null,
    rootId: among.rootId,
    sessionId,
  };
  if (event === null) {
    const parent = parentId !== undefined && { parentId };
    const definition = definitionJson(host.machine.definition);
    return [{ type: '@xstate.actor', name: sessionId, definition, ...parent, snapshot, ...common }];
  }
  const isStart = event.type === host.startEvent || event.type === 'xstate.init';
  const source = sourceOf(sessionId, event, among) ?? (isStart ? parentId : undefined);
  const sourceId = source !== undefined && { sourceId: source };
  return [
    { type: '@xstate.event', event, ...sourceId, ...common },
    { type: '@xstate.snapshot', event, snapshot, ...common },
  ];
}

/** The sub-run whose result an event is. */
function sourceOf(runId: string, { effectId }: ActorEvent, { runs }: Among): string | undefined {
  const id = typeof effectId === 'number' ? subRunId(runId, effectId) : undefined;
  return id !== undefined && runs.has(id) ? id : undefined;
}

/**
 * The configuration of a machine as JSON, for inspectors: guards, actions and delays by their names, and of a function its name
 * alone, as `@statelyai/inspect` writes it.
 */
function definitionJson({ config }: AnyStateMachine): string {
  return JSON.stringify(config, (_key, value: unknown) =>
    typeof value === 'function' ? { type: value.name } : value,
  );
}
