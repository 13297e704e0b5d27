import {
  type AnyActorLogic,
  type AnyStateMachine,
  type AnyStateNode,
  createMachine,
  fromPromise,
} from 'xstate';
import type { ToolSchema } from '../../protocol/tool.ts';
import { type Service, serviceOf } from '../services.ts';

/** What performs an invocation: a declared service, or a machine, which becomes a workflow of its own. */
export type ChartService = Service | { kind: 'workflow'; chart: AnyStateMachine };

/**
 * The services of a chart, by their names in `setup({ actors })`; a service written inside an `invoke` has the name
 * that xstate gives its place. Logic that is neither a service nor a machine is left out.
 */
export function servicesOf({ implementations, root }: AnyStateMachine): ReadonlyMap<string, ChartService> {
  const named = Object.entries(implementations.actors as Record<string, unknown>);
  const services = new Map<string, ChartService>();
  for (const [src, logic] of [...named, ...inlineLogic(root)]) {
    const declared = serviceOf(logic);
    if (declared) services.set(src, declared);
    else if (isChart(logic)) services.set(src, { kind: 'workflow', chart: logic });
  }
  return services;
}

function* inlineLogic(node: AnyStateNode): Generator<[src: string, logic: unknown]> {
  const written = [node.config.invoke ?? []].flat() as { src: unknown }[];
  for (const [i, { src }] of node.invoke.entries()) {
    const logic = written[i]?.src;
    if (typeof logic !== 'string') yield [String(src), logic];
  }
  for (const inner of Object.values(node.states)) yield* inlineLogic(inner);
}

/** What the output of a service must fit, or the answer to its question. */
export function outputOf(service: ChartService): ToolSchema<unknown> | undefined {
  if (service.kind === 'workflow' || service.kind === 'step') return undefined;
  return service.kind === 'ask' ? service.form : service.output;
}

/** Whether actor logic is a machine. */
export function isChart(logic: unknown): logic is AnyStateMachine {
  return typeof logic === 'object' && logic !== null && '__xstatenode' in logic && 'root' in logic;
}

/** The id of a spawned or invoked child. That of `spawnChild` may be computed: xstate's own params still have the function. */
export function spawnedId({ id, actorRef }: { id?: unknown; actorRef?: unknown }): string {
  return String(typeof id === 'function' ? (actorRef as { id?: unknown } | undefined)?.id : id);
}

/** Maximum transitions in a row without an event from outside. A chart in an endless loop would block the process for ever. */
export const maxMicrosteps = 2_000;

/**
 * The chart with actors that do nothing in place of its own: xstate makes an actor for each invocation, and of a
 * machine it would compute the first snapshot. It throws when it loops without an event.
 */
export function withoutActors(chart: AnyStateMachine): AnyStateMachine {
  const idle: AnyActorLogic = fromPromise(() => new Promise<never>(() => {}));
  const { maxIterations = maxMicrosteps } = chart.options ?? {};
  const options = { ...chart.options, maxIterations: Math.min(maxIterations, maxMicrosteps) };
  const actors = new Proxy({}, { get: () => idle });
  return createMachine({ ...withoutLogic(chart.config, idle), options } as typeof chart.config, {
    ...chart.implementations,
    actors,
  }) as AnyStateMachine;
}

interface Config {
  invoke?: unknown;
  states?: Record<string, Config>;
}

/** A config whose invocations have a name, or logic that does nothing; no system is told of them. */
function withoutLogic(config: Config, idle: unknown): Config {
  const { invoke, states } = config;
  const bare = ({ systemId, ...one }: { systemId?: unknown; src?: unknown }) =>
    typeof one.src === 'string' ? one : { ...one, src: idle };
  return {
    ...config,
    ...(invoke !== undefined && { invoke: [invoke].flat().map((one) => bare(one as object)) }),
    ...(states && {
      states: Object.fromEntries(
        Object.entries(states).map(([key, state]) => [key, withoutLogic(state, idle)]),
      ),
    }),
  };
}
