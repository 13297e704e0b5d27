import * as z from 'zod/mini';
import { about, named } from '../fields.ts';

/** A statechart as plain JSON, for a page to draw; the types of `chart.ts` are taken from these schemas. */

export const chartTransition = named(
  'ChartTransition',
  z.strictObject({
    /** Unique in the machine. */
    id: z.string(),
    /** Empty for one that is taken at once when its guard holds. */
    event: z.string(),
    guard: z.nullable(z.string()),
    /** Ids of states; empty for one that stays where it is. */
    targets: z.array(z.string()),
    /** The names of its actions. */
    actions: z.array(z.string()),
    description: z.exactOptional(z.string()),
  }),
);

export const chartState = named(
  'ChartState',
  z.strictObject({
    /** Its dotted path, as in the log: `active.working.thinking`. */
    id: z.string(),
    key: z.string(),
    type: z.enum(['atomic', 'compound', 'parallel', 'final', 'history']),
    description: z.exactOptional(z.string()),
    /** Id of the state that it begins in; null unless it is compound. */
    initial: z.nullable(z.string()),
    get states() {
      return z.array(chartState);
    },
    /** In the order in which they are tried. */
    transitions: z.array(chartTransition),
  }),
);

const definition = {
  name: z.string(),
  version: z.int(),
  /** Of everything below: the same for the same chart in every process. */
  hash: z.string(),
  /** Id of the state that the machine begins in. */
  initial: z.nullable(z.string()),
  /** The top-level states, each with those inside of it. */
  states: z.array(chartState),
  /** Those of the machine itself: taken in any state whose own transitions do not fit. In the order in which they are tried. */
  transitions: z.array(chartTransition),
};

export const machineDefinition = named('MachineDefinition', z.strictObject(definition));

export const machine = named(
  'Machine',
  z.strictObject({ ...definition, mermaid: about(z.string(), 'A `stateDiagram-v2`.') }),
);

const box = { x: z.number(), y: z.number(), width: z.number(), height: z.number() };

export const stateBox = named(
  'StateBox',
  z.strictObject({
    ...box,
    /** Its key, in one line or two. */
    title: z.array(z.string()),
    /** `vertical`: the box is tall and narrow, and its title reads from bottom to top. */
    orientation: z.enum(['horizontal', 'vertical']),
  }),
);

/** All transitions between two states, drawn as one line. */
export const layoutEdge = named(
  'LayoutEdge',
  z.strictObject({
    id: z.string(),
    /** Ids of states. `from` is empty for transitions of the machine itself. */
    from: z.string(),
    to: z.string(),
    /** The ids of its transitions, in the order in which they are tried. */
    transitions: z.array(z.string()),
    /** Id of the state at whose border the line ends: the one that is entered in the end, if that is one alone. */
    enters: z.string(),
    /** From its beginning to its arrow head, with a corner at each point between. */
    points: z.array(z.strictObject({ x: z.number(), y: z.number() })),
    /** The box has room for a number of two digits behind the words. */
    label: z.strictObject({ ...box, text: z.string() }),
    /** Whether it belongs to the shortest way from the initial state to the first final one. */
    isOnSpine: z.boolean(),
  }),
);

/** Where the states and transitions of a machine are drawn, in pixels from the upper left corner. */
export const machineLayout = named(
  'MachineLayout',
  z.strictObject({
    name: z.string(),
    version: z.int(),
    /** Of the definition that it shows. */
    hash: z.string(),
    width: z.number(),
    height: z.number(),
    /** By the id of the state. Boxes of inner states lie within those of their parents, below the title. */
    states: z.record(z.string(), stateBox),
    edges: z.array(layoutEdge),
  }),
);
