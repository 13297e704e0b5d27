import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode, EventObject, StateValue } from 'xstate';
import { failureOf } from '../facade/service-failure.ts';
import type { Findings } from './findings.ts';
import { MoveFindings } from './moves.ts';
import { digest } from './not-json.ts';
import { Sample } from './sample.ts';
import { type Move, Trial } from './trial.ts';
import { matches, nodesOf, own } from './written.ts';

/** Values with which a chart is tried. For all that is missing, the check makes up its own. */
export interface Samples {
  input?: unknown;
  /** By the name of the service: what it may answer. */
  outputs?: Readonly<Record<string, readonly unknown[]>>;
  /** From outside, with their payload. */
  events?: readonly EventObject[];
}

const maxMoves = 2_000;
/** Contexts with which one state is tried. */
const maxContexts = 8;
/** The time that events of the walk carry. */
const at = 1_700_000_000_000;

/** A place that the walk has reached. */
interface Stop {
  snapshot: AnyMachineSnapshot;
  /** Made-up values led to it, so that its context may hold anything. */
  isGuess: boolean;
}

/**
 * Moves a chart through its states, and checks the result of each move. States that no move reaches are entered
 * directly. Makes at most 2,000 moves.
 *
 * @returns what the moves showed
 */
export function walk(
  chart: AnyStateMachine,
  samples: Samples,
  findings: Findings,
  maxMs: number,
): Pick<MoveFindings, 'raisers' | 'payloads'> {
  return new Walk(chart, samples, findings, maxMs).run();
}

class Walk {
  readonly #chart: AnyStateMachine;
  readonly #samples: Samples;
  readonly #moves: MoveFindings;
  readonly #trial: Trial;
  readonly #sample = new Sample();
  readonly #stops: Stop[] = [];
  readonly #contexts = new Map<string, Set<string>>();
  readonly #reached = new Set<string>();
  readonly #until: number;
  #count = 0;

  constructor(chart: AnyStateMachine, samples: Samples, findings: Findings, maxMs: number) {
    this.#until = performance.now() + maxMs;
    this.#chart = chart;
    this.#samples = samples;
    this.#moves = new MoveFindings(chart, findings);
    this.#trial = new Trial(chart, this.#sample);
  }

  run(): MoveFindings {
    const { input } = this.#samples;
    const first = this.#trial.begin(input ?? this.#sample.value);
    const { context: made } = this.#chart.config;
    const readsInput = input === undefined && typeof made === 'function' && made.length > 0;
    this.#arrive(null, { type: 'xstate.init' }, first, readsInput);
    this.#follow();
    const context = first.next?.context ?? made;
    for (const node of nodesOf(this.#chart.root)) {
      if (this.#isOver()) break;
      if (node.type !== 'atomic' || this.#reached.has(node.id)) continue;
      const snapshot = this.#trial.jump(valueWith(node), typeof context === 'object' ? context : {});
      if (!snapshot) continue;
      this.#add({ snapshot, isGuess: true });
      this.#follow();
    }
    return this.#moves;
  }

  #isOver(): boolean {
    return this.#count >= maxMoves || performance.now() > this.#until;
  }

  #follow(): void {
    for (let stop = this.#stops.shift(); stop; stop = this.#stops.shift())
      for (const event of this.#eventsAt(stop.snapshot)) {
        if (this.#isOver()) return;
        this.#count++;
        this.#arrive(stop, event, this.#trial.move(stop.snapshot, event));
      }
  }

  #arrive(from: Stop | null, event: EventObject, move: Move, isMadeUp = false): void {
    const isGuess = isMadeUp || from?.isGuess || this.#sample.wasTouched || hasSample(from?.snapshot ?? null);
    this.#moves.look(from?.snapshot ?? null, event, move, isGuess);
    if (from && this.#sample.hasReadEvent && !event.type.startsWith('xstate.'))
      this.#moves.notePayload(from.snapshot, event.type);
    if (move.next) this.#add({ snapshot: move.next, isGuess });
  }

  #add(stop: Stop): void {
    const { snapshot } = stop;
    for (const { id } of snapshot._nodes) this.#reached.add(id);
    if (snapshot.status !== 'active') return;
    const value = JSON.stringify(snapshot.value);
    const contexts = this.#contexts.get(value) ?? new Set();
    this.#contexts.set(value, contexts);
    const context = digest([snapshot.context, Object.keys(snapshot.children)]);
    if (contexts.has(context) || contexts.size >= maxContexts) return;
    contexts.add(context);
    this.#stops.push(stop);
  }

  /** What may happen to a chart that rests: its services end, its timers fire, events come from outside. */
  #eventsAt({ _nodes, children }: AnyMachineSnapshot): EventObject[] {
    const spawned = Object.entries(children).map(
      ([id, child]) => [id, String((child as { src?: unknown } | undefined)?.src)] as const,
    );
    const invoked = _nodes.flatMap(({ invoke }) => invoke.map(({ id, src }) => [id, String(src)] as const));
    const ended = [...new Map([...spawned, ...invoked])].flatMap(([id, src]) => [
      ...this.#donesOf(id, src),
      { type: `xstate.error.actor.${id}`, actorId: id, error: sampleError, at },
    ]);
    const timers = _nodes.flatMap((node) => node.after.map(({ eventType: type }) => ({ type, at })));
    const taken = new Set(_nodes.flatMap(({ ownEvents }) => ownEvents as string[]));
    const outside = [...taken]
      .filter((type) => !type.startsWith('xstate.'))
      .flatMap((type) => this.#eventsOf(type));
    return [...ended, ...timers, ...outside];
  }

  #donesOf(id: string, src: string): EventObject[] {
    const done = { type: `xstate.done.actor.${id}`, actorId: id, at };
    const outputs = own(this.#samples.outputs ?? {}, src);
    if (!Array.isArray(outputs)) return [this.#sample.eventOf(done)];
    return outputs.map((output: unknown) => ({ ...done, output }));
  }

  #eventsOf(descriptor: string): EventObject[] {
    const events = [...(this.#samples.events ?? []), ...this.#moves.raised];
    const given = events.filter(({ type }) => matches(type, descriptor));
    if (given.length > 0) return given.map((event) => Object.assign({ at }, event));
    return [this.#sample.eventOf({ type: descriptor.replace('*', 'sample'), at })];
  }
}

const sampleError = failureOf({ code: 'SAMPLE', message: 'a sample' });

function hasSample(snapshot: AnyMachineSnapshot | null): boolean {
  return snapshot !== null && digest(snapshot.context).includes('(sample)');
}

/** A state value in which a state is active, and parallel regions are in their initial states. */
function valueWith({ path }: AnyStateNode): StateValue {
  return path.reduceRight<StateValue>((value, key) => ({ [key]: value }), {});
}
