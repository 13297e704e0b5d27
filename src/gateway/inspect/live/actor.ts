import type { StateValue } from 'xstate';
import { edgeIdOf, leavesOf } from '../../../engine/machine.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../protocol/json.ts';
import type { MethodOutput } from '../../../protocol/methods.ts';
import {
  applyChanges,
  type ChartState,
  type ChartTransition,
  type MachineDefinition,
  type RunTrace,
  type TracedTransition,
  type TracedWay,
} from '../../../protocol/views.ts';
import { changesOf, shownEvent } from '../../../runs/views.ts';
import { allStates } from '../../../runtime/chart.ts';
import { shortHash } from '../../../text/ids.ts';
import type { ReceivedMessage } from './message.ts';
import { type LiveChart, readDefinition } from './read-definition.ts';

/** The facts of an actor's registration. Of an unregistered actor, a snapshot tells only a part. */
interface Registration {
  sessionId: string;
  name?: string | undefined;
  definition?: string | undefined;
  parentId?: string | undefined;
  createdAt?: number | undefined;
  snapshot: Snapshot['snapshot'];
}

type Snapshot = Extract<ReceivedMessage, { type: '@xstate.snapshot' }>;

/** An actor of a program of the user, in a list. */
export type ActorSummary = MethodOutput<'inspect.list'>['actors'][number];

/** Characters of a context as JSON. */
const maxContext = 64_000;
/** Of the transitions in one answer as JSON: less than may wait for a client of the gateway that reads slowly. */
const maxJson = 150_000;
/** Levels of a state value. */
const maxLevels = 20;

/**
 * An actor of another program that is shown here: its chart, and its transitions like those of a run. All its data came
 * from outside.
 */
export class LiveActor {
  readonly actorId: string;
  /** The key of its program. */
  readonly program: string;
  readonly sessionId: string;
  readonly #sender: string | null;
  readonly chart: LiveChart;
  readonly #index: ChartIndex | null;
  readonly #name: string;
  readonly parentSessionId: string | undefined;
  readonly registeredAt: number;
  readonly #createdAt: number;
  #initial: { path: string | string[]; context: JsonObject };
  #transitions: { traced: TracedTransition; size: number }[] = [];
  readonly #ways = new Map<number, TracedWay>();
  /** The numbers of the paths, by their JSON. */
  readonly #numbers = new Map<string, number>();
  #nextWay = 0;
  #path: string | string[];
  #context: JsonObject;
  #status: ActorSummary['status'];
  #tags: string[];
  #lastSeq = 0;
  #updatedAt: number;
  /** Sizes of what is kept, in characters of JSON: its definition, both contexts, its transitions. */
  readonly #sizes: { chart: number; initial: number; context: number; transitions: number };

  constructor(
    {
      actorId,
      program,
      sender,
      at,
      registeredAt,
    }: { actorId: string; program: string; sender: string | null; at: number; registeredAt: number },
    {
      sessionId,
      name = sessionId,
      definition,
      parentId,
      snapshot,
      createdAt = at,
    }: Partial<Registration> & Pick<Registration, 'sessionId' | 'snapshot'>,
  ) {
    this.actorId = actorId;
    this.program = program;
    this.#sender = sender;
    this.sessionId = sessionId;
    this.chart = readDefinition(name, definition);
    this.#index = this.chart.definition && indexOf(this.chart.definition);
    this.#name = name;
    this.parentSessionId = parentId;
    this.registeredAt = registeredAt;
    this.#createdAt = createdAt;
    this.#updatedAt = createdAt;
    this.#path = pathsOf(snapshot.value, snapshot.status);
    const { context, size } = contextOf(snapshot.context);
    this.#context = context;
    this.#initial = { path: this.#path, context: this.#context };
    this.#status = snapshot.status;
    this.#tags = snapshot.tags ?? [];
    this.#sizes = { chart: (definition?.length ?? 0) * 2, initial: size, context: size, transitions: 0 };
  }

  /** Characters that it takes in memory, about. */
  get size(): number {
    const { chart, initial, context, transitions } = this.#sizes;
    return chart + initial + context + transitions;
  }

  take({ event, snapshot, createdAt }: Snapshot, at: number): void {
    const { context, size: contextSize } = contextOf(snapshot.context);
    const [from, to] = [this.#path, pathsOf(snapshot.value, snapshot.status)];
    const edges = this.#index ? takenEdges(this.#index, event.type, [from].flat(), [to].flat()) : [];
    const { type, ...body } = event;
    const traced: TracedTransition = {
      seq: ++this.#lastSeq,
      at: createdAt ?? at,
      ...shownEvent(type, body as JsonObject),
      by: { kind: 'system' },
      way: this.#numberOf({ from, to, edges, guards: [] }),
      changes: changesOf(this.#context, context),
      hash: shortHash(JSON.stringify(context)),
    };
    const size = JSON.stringify(traced).length;
    this.#transitions.push({ traced, size });
    this.#sizes.transitions += size;
    this.#sizes.context = contextSize;
    this.#path = to;
    this.#context = context;
    this.#status = snapshot.status;
    this.#tags = snapshot.tags ?? [];
    this.#updatedAt = traced.at;
  }

  #numberOf(way: TracedWay): number {
    const json = JSON.stringify(way);
    const known = this.#numbers.get(json);
    if (known !== undefined) return known;
    const number = this.#nextWay++;
    this.#numbers.set(json, number);
    this.#ways.set(number, way);
    this.#sizes.transitions += json.length;
    return number;
  }

  get count(): number {
    return this.#transitions.length;
  }

  /** Drops the oldest transitions; the actor's history begins after them. */
  drop(count: number): void {
    for (const { traced, size } of this.#transitions.splice(0, count)) {
      this.#sizes.transitions -= size;
      const { context, path } = this.#initial;
      this.#initial = {
        path: this.#ways.get(traced.way)?.to ?? path,
        context: applyChanges(context, traced.changes),
      };
    }
    const used = new Set(this.#transitions.map(({ traced }) => traced.way));
    for (const [json, way] of this.#numbers) {
      if (used.has(way)) continue;
      this.#numbers.delete(json);
      this.#ways.delete(way);
      this.#sizes.transitions -= json.length;
    }
    this.#sizes.initial = JSON.stringify(this.#initial.context).length;
  }

  summary(isConnected: boolean): ActorSummary {
    const parent = this.parentSessionId !== undefined && { parentSessionId: this.parentSessionId };
    return {
      actorId: this.actorId,
      name: this.#name,
      sender: this.#sender,
      sessionId: this.sessionId,
      ...parent,
      status: this.#status,
      isConnected,
      path: this.#path,
      tags: this.#tags,
      lastSeq: this.#lastSeq,
      dropped: this.#lastSeq - this.count,
      createdAt: this.#createdAt,
      updatedAt: this.#updatedAt,
      registeredAt: this.registeredAt,
    };
  }

  /** Its transitions in the shape of a run's: no person, effect or guard is known of them. */
  trace(afterSeq: number, limit: number): RunTrace {
    const { definition } = this.chart;
    const transitions: TracedTransition[] = [];
    let length = 0;
    for (const { traced, size } of this.#transitions) {
      if (traced.seq <= afterSeq) continue;
      length += size;
      if (transitions.length === limit || (length > maxJson && transitions.length > 0)) break;
      transitions.push(traced);
    }
    const ways = Object.fromEntries(
      transitions.flatMap(({ way }): [number, TracedWay][] => {
        const found = this.#ways.get(way);
        return found ? [[way, found]] : [];
      }),
    );
    return {
      runId: this.actorId,
      sessionId: this.sessionId,
      machine: {
        name: definition?.name ?? this.#name,
        version: 0,
        hash: definition?.hash ?? null,
        known: definition !== null,
      },
      lastSeq: this.#lastSeq,
      ended: this.#status !== 'active',
      agrees: this.#lastSeq,
      initial: this.#initial,
      transitions,
      ways,
      spans: [],
    };
  }
}

/** The paths of a state value. Actors without states are in their status. */
function pathsOf(value: unknown, status: string): string | string[] {
  if (!isStateValue(value, 0)) return status;
  const [first = status, ...others] = leavesOf(value);
  return others.length === 0 ? first : [first, ...others];
}

function isStateValue(value: unknown, level: number): value is StateValue {
  if (typeof value === 'string') return value.length <= 1000;
  if (!isObject(value) || level > maxLevels) return false;
  return Object.values(value).every((inner) => isStateValue(inner, level + 1));
}

/** A context with the length of its JSON; of one that is too large, its length alone. */
function contextOf(given: unknown): { context: JsonObject; size: number } {
  const isNone = given === undefined || given === null;
  const context = isObject(given) ? (given as JsonObject) : isNone ? {} : { value: given as JsonValue };
  const size = JSON.stringify(context).length;
  return size <= maxContext
    ? { context, size }
    : { context: { isTooLarge: true, characters: size }, size: 50 };
}

/** Transient states on the way of one event. */
const maxSteps = 8;

/** A chart, looked up by the ids of its states. */
interface ChartIndex {
  root: MachineDefinition;
  byId: ReadonlyMap<string, ChartState>;
}

function indexOf(root: MachineDefinition): ChartIndex {
  return { root, byId: new Map(allStates(root.states).map((state) => [state.id, state])) };
}

/**
 * The edges that an actor most likely took: snapshots have the states before and after, but not the way between them.
 * These are the edges of the event that lead to the new states, if necessary by transitions without an event. Guards
 * cannot be evaluated here.
 *
 * @param from ids of the innermost states before, `to` those after
 */
function takenEdges(
  chart: ChartIndex,
  event: string,
  from: readonly string[],
  to: readonly string[],
): string[] {
  const edges: string[] = [];
  for (const leaf of from) {
    const way = wayOf(chart, event, leaf, to);
    for (const edge of way) if (!edges.includes(edge)) edges.push(edge);
  }
  return edges;
}

/** The way from one state, by the event and then without one, to a state that holds one of `to`. */
function wayOf(chart: ChartIndex, event: string, leaf: string, to: readonly string[]): string[] {
  let reached = [{ at: leaf, way: [] as string[] }];
  const seen = new Set<string>();
  for (let step = 0; step < maxSteps && reached.length > 0; step++) {
    const next: typeof reached = [];
    for (const { at, way } of reached)
      for (const { source, transition } of transitionsAt(chart, at)) {
        if (!isFor(transition.event, step === 0 ? event : '')) continue;
        for (const target of transition.targets) {
          const edge = edgeIdOf(source, target);
          if (to.some((one) => one === target || one.startsWith(`${target}.`))) return [...way, edge];
          if (seen.has(edge)) continue;
          seen.add(edge);
          next.push({ at: entered(chart, target), way: [...way, edge] });
        }
      }
    reached = next;
  }
  return [];
}

/** The transitions of a state and of those around it, the innermost first. */
function transitionsAt(
  { root, byId }: ChartIndex,
  leaf: string,
): { source: string; transition: ChartTransition }[] {
  const all: { source: string; transition: ChartTransition }[] = [];
  for (let id = leaf; id !== ''; id = id.slice(0, Math.max(0, id.lastIndexOf('.'))))
    for (const transition of byId.get(id)?.transitions ?? []) all.push({ source: id, transition });
  for (const transition of root.transitions) all.push({ source: '', transition });
  return all;
}

function isFor(descriptor: string, event: string): boolean {
  if (event === '') return descriptor === '' || descriptor.startsWith('xstate.done.state.');
  if (descriptor === event || descriptor === '*') return true;
  return descriptor.endsWith('.*') && `${event}.`.startsWith(descriptor.slice(0, -1));
}

/** Entering a state also enters its initial state. */
function entered({ byId }: Pick<ChartIndex, 'byId'>, id: string): string {
  const initial = byId.get(id)?.initial ?? null;
  return initial === null ? id : entered({ byId }, initial);
}
