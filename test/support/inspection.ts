import { createInspector, type StatelyInspectionEvent } from '@statelyai/inspect';
import { type AnyStateMachine, assign, createActor, sendTo, setup } from 'xstate';
import type { InspectionMessage } from '../../src/protocol/frames.ts';
import type { ChartState, ChartTransition, MachineDefinition } from '../../src/protocol/views.ts';

type Wire = Record<string, unknown>;

/** What the real `createInspector` puts on the wire for an actor, while `use` works with it. */
export async function realMessages(
  machine: AnyStateMachine,
  use: (actor: ReturnType<typeof createActor>) => void = () => {},
  { input, depth }: { input?: unknown; depth?: number } = {},
): Promise<Wire[]> {
  const sent: StatelyInspectionEvent[] = [];
  const adapter = { send: (event: StatelyInspectionEvent) => void sent.push(event) };
  const options = depth === undefined ? {} : { serializationDepthLimit: depth };
  const actor = createActor(machine, { inspect: createInspector(adapter, options).inspect, input });
  actor.start();
  use(actor);
  // The inspector sends when the process is idle.
  await new Promise((resolve) => setTimeout(resolve, 0));
  actor.stop();
  return sent.map((event) => JSON.parse(JSON.stringify(event)));
}

const child = setup({}).createMachine({
  id: 'child',
  initial: 'idle',
  states: { idle: { on: { rest: 'resting' } }, resting: { type: 'final' } },
});

/** A machine with all that messages can hold: a child, tags, an output, guards, actions and delays by name. */
export const example = setup({
  types: { context: {} as { steps: number }, events: {} as { type: 'walk' } | { type: 'stop' } },
  actors: { child },
  actions: {
    tell: sendTo('dog', { type: 'rest' }),
    count: assign({ steps: ({ context }) => context.steps + 1 }),
  },
  guards: { isAwake: () => true },
  delays: { aWhile: 60_000 },
}).createMachine({
  id: 'walker',
  context: { steps: 0 },
  initial: 'standing',
  states: {
    standing: {
      tags: ['still'],
      on: {
        walk: {
          target: 'walking',
          guard: 'isAwake',
          actions: 'count',
        },
      },
    },
    walking: {
      invoke: { src: 'child', id: 'dog' },
      entry: 'tell',
      after: { aWhile: 'standing' },
      on: { stop: 'home' },
    },
    home: { type: 'final' },
  },
  output: ({ context }) => ({ steps: context.steps }),
});

/** Every message that an actor of {@link example} and its child send. */
export const exampleMessages = () =>
  realMessages(example, (actor) => {
    actor.send({ type: 'walk' });
    actor.send({ type: 'stop' });
  });

/** Fields that a message of the same type may lack. */
const optional = new Set(['parentId', 'sourceId', 'output']);

/** What differs in the shape of a message from all real ones of its type: fields, and the types of their values. */
export function unlike(message: InspectionMessage, real: readonly Wire[]): string[] {
  const peers = real.filter(({ type }) => type === message.type);
  if (peers.length === 0) return [`no real message is a ${message.type}`];
  const wire = JSON.parse(JSON.stringify(message)) as Wire;
  return [
    ...differences(wire, peers, message.type),
    ...('snapshot' in wire
      ? differences(
          wire.snapshot as Wire,
          peers.map(({ snapshot }) => snapshot as Wire),
          'snapshot',
        )
      : []),
  ];
}

function differences(wire: Wire, peers: readonly Wire[], place: string): string[] {
  const [peer = {}] = peers;
  const known = new Map(
    peers.flatMap((one) => Object.entries(one)).map(([key, value]) => [key, kindOf(value)]),
  );
  const missing = Object.keys(peer).filter((key) => !(key in wire) && !optional.has(key));
  const wrong = Object.entries(wire).filter(
    // A state is a text or an object, and an output anything.
    ([key, value]) =>
      !known.has(key) || (!['value', 'output'].includes(key) && known.get(key) !== kindOf(value)),
  );
  return [
    ...missing.map((key) => `${place} lacks ${key}`),
    ...wrong.map(([key, value]) => `${place}.${key} is ${kindOf(value)}, not ${known.get(key)}`),
  ];
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

/** A chart whose order does not count: the real inspector sorts the keys of a configuration. */
export function inOrder({
  states,
  transitions,
  initial,
}: Pick<MachineDefinition, 'states' | 'transitions' | 'initial'>) {
  return { initial, states: statesInOrder(states), transitions: transitionsInOrder(transitions) };
}

function statesInOrder(states: readonly ChartState[]): unknown[] {
  return states
    .map(({ states: inner, transitions, ...state }) => ({
      ...state,
      states: statesInOrder(inner),
      transitions: transitionsInOrder(transitions),
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function transitionsInOrder(transitions: readonly ChartTransition[]): unknown[] {
  return transitions.map(({ id: _, ...one }) => JSON.stringify(one)).sort();
}
