import { type AnyActorRef, type AnyStateMachine, createActor, fromPromise, SimulatedClock } from 'xstate';
import { isChart } from '../../../src/workflow/facade/chart-services.ts';

/** What happens to a chart: an event, the end of a service (by its name in `setup({ actors })`), or time. */
export type Happening =
  | { send: { type: string; [field: string]: unknown } }
  | { done: string; output?: unknown }
  | { fails: string; message: string; fields?: object }
  | { wait: number };

/** A chart as its author wrote it, and what happens to it. */
export interface Scenario {
  name: string;
  chart: AnyStateMachine;
  /** For a chart without one. */
  id?: string;
  input?: unknown;
  course: readonly Happening[];
  /** One service is at work all the time: processes close, since it may die with three of them only. */
  isClosed?: true;
}

/** Where a chart stands. What is undefined is left out, as JSON does. */
export interface Standing {
  status: string;
  value: unknown;
  context: unknown;
  output?: unknown;
  /** Where the machines that it has invoked stand. */
  children: Record<string, { value: unknown; context: unknown }>;
  /** The services that are at work, sorted. */
  pending: string[];
}

/** The chart with services in place of its own, also in the machines that it invokes. */
export function performedBy(chart: AnyStateMachine, logicOf: (src: string) => unknown): AnyStateMachine {
  const actors = Object.entries(chart.implementations.actors as Record<string, unknown>).map(
    ([src, logic]) => [src, isChart(logic) ? performedBy(logic, logicOf) : logicOf(src)],
  );
  return chart.provide({ actors: Object.fromEntries(actors) });
}

/** The services that are at work, and how a test ends them. */
export class Bench {
  readonly #open: { src: string; end: PromiseWithResolvers<unknown> }[] = [];

  work(src: string): Promise<unknown> {
    const end = Promise.withResolvers<unknown>();
    const entry = { src, end };
    this.#open.push(entry);
    return end.promise.finally(() => this.#open.splice(this.#open.indexOf(entry), 1));
  }

  /** For a service whose chart has left its state. */
  leave(src: string): void {
    const i = this.#open.findLastIndex((one) => one.src === src);
    if (i >= 0) this.#open.splice(i, 1);
  }

  get pending(): string[] {
    return this.#open.map(({ src }) => src).sort();
  }

  /** False when no such service is at work. */
  end(src: string, happening: Happening): boolean {
    const entry = this.#open.find((one) => one.src === src);
    if (!entry) return false;
    if ('fails' in happening) entry.end.reject(Object.assign(new Error(happening.message), happening.fields));
    else entry.end.resolve('output' in happening ? happening.output : undefined);
    return true;
  }
}

/** What xstate itself does, after each happening; the first standing is that of the start. */
export async function plainCourse(
  { chart, input, course }: Scenario,
  printed: readonly string[],
): Promise<{ standing: Standing; printed: string[] }[]> {
  const bench = new Bench();
  const logicOf = (src: string) =>
    fromPromise(async ({ signal }) => {
      signal.addEventListener('abort', () => bench.leave(src));
      try {
        return await bench.work(src);
      } catch (error) {
        // Every failure of a durable service has a code.
        throw Object.assign(error as Error, { code: 'SERVICE_FAILED' });
      }
    });
  const clock = new SimulatedClock();
  const actor = createActor(performedBy(chart, logicOf), { input: input as never, clock, logger() {} });
  actor.subscribe({ error() {} });
  actor.start();
  const seen: { standing: Standing; printed: string[] }[] = [];
  const note = async () => {
    await quiet();
    seen.push({ standing: { ...standingOf(actor), pending: bench.pending }, printed: [...printed] });
  };
  await note();
  for (const happening of course) {
    if ('send' in happening) actor.send(happening.send);
    else if ('wait' in happening) clock.increment(happening.wait);
    else if (!bench.end('done' in happening ? happening.done : happening.fails, happening))
      throw new Error(`no service is at work for ${JSON.stringify(happening)}`);
    await note();
  }
  actor.stop();
  return seen;
}

function standingOf(actor: AnyActorRef): Omit<Standing, 'pending'> {
  const { status, value, context, output, children } = actor.getSnapshot();
  const charts = Object.entries(children as Record<string, AnyActorRef>)
    .map(([id, child]) => [id, child.getSnapshot()] as const)
    .filter(([, { value }]) => value !== undefined)
    .map(([id, { value, context }]) => [id, { value, context: context ?? {} }] as const);
  const standing = { status, value, context: context ?? {}, output, children: Object.fromEntries(charts) };
  // A row keeps the message of an error, too, which JSON leaves out.
  const kept = (_: string, one: unknown) => (one instanceof Error ? { ...one, message: one.message } : one);
  return JSON.parse(JSON.stringify(standing, kept));
}

/** Lets promises settle. */
async function quiet(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}
