/** A statechart as plain JSON, for a page to draw. */
export interface MachineDefinition {
  name: string;
  version: number;
  /** Of everything below: the same for the same chart in every process. */
  hash: string;
  /** Id of the state that the machine begins in. */
  initial: string | null;
  /** The top-level states, each with those inside of it. */
  states: ChartState[];
  /** Those of the machine itself: taken in any state whose own transitions do not fit. In the order in which they are tried. */
  transitions: ChartTransition[];
}

export interface ChartState {
  /** Its dotted path, as in the log: `active.working.thinking`. */
  id: string;
  key: string;
  type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  description?: string;
  /** Id of the state that it begins in; null unless it is compound. */
  initial: string | null;
  states: ChartState[];
  /** In the order in which they are tried. */
  transitions: ChartTransition[];
}

export interface ChartTransition {
  /** Unique in the machine. */
  id: string;
  /** Empty for one that is taken at once when its guard holds. */
  event: string;
  guard: string | null;
  /** Ids of states; empty for one that stays where it is. */
  targets: string[];
  /** The names of its actions. */
  actions: string[];
  description?: string;
}

/** All transitions from one state to another. */
export interface ChartEdge {
  id: string;
  /** Ids of states. `from` is empty for transitions of the machine itself. */
  from: string;
  to: string;
  /** The ids of its transitions, in the order in which they are tried. */
  transitions: string[];
  /** The first one in words, and how many others there are: `[hasFailed] +10`. */
  label: string;
}

/** Where the states and transitions of a machine are drawn, in pixels from the upper left corner. */
export interface MachineLayout {
  name: string;
  version: number;
  /** Of the definition that it shows. */
  hash: string;
  width: number;
  height: number;
  /** By the id of the state. Boxes of inner states lie within those of their parents, below the title. */
  states: Record<string, StateBox>;
  edges: LayoutEdge[];
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface StateBox extends Box {
  /** Its key, in one line or two. */
  title: string[];
  /** `vertical`: the box is tall and narrow, and its title reads from bottom to top. */
  orientation: 'horizontal' | 'vertical';
}

/** All transitions between two states, drawn as one line. */
export interface LayoutEdge extends Omit<ChartEdge, 'label'> {
  /** Id of the state at whose border the line ends: the one that is entered in the end, if that is one alone. */
  enters: string;
  /** From its beginning to its arrow head, with a corner at each point between. */
  points: { x: number; y: number }[];
  /** The box has room for a number of two digits behind the words. */
  label: Box & { text: string };
  /** Whether it belongs to the shortest way from the initial state to the first final one. */
  isOnSpine: boolean;
}
