import type * as z from 'zod/mini';
import type * as answers from './methods/answers/chart.ts';

/** A statechart as plain JSON, for a page to draw. */
export interface MachineDefinition extends z.output<typeof answers.machineDefinition> {}

export type ChartState = z.output<typeof answers.chartState>;

export interface ChartTransition extends z.output<typeof answers.chartTransition> {}

/** All transitions from one state to another. */
export interface ChartEdge extends Pick<LayoutEdge, 'id' | 'from' | 'to' | 'transitions'> {
  /** The first one in words, and how many others there are: `[hasFailed] +10`. */
  label: string;
}

/** Where the states and transitions of a machine are drawn, in pixels from the upper left corner. */
export interface MachineLayout extends z.output<typeof answers.machineLayout> {}

export interface Box extends Pick<StateBox, 'x' | 'y' | 'width' | 'height'> {}

export interface StateBox extends z.output<typeof answers.stateBox> {}

/** All transitions between two states, drawn as one line. */
export interface LayoutEdge extends z.output<typeof answers.layoutEdge> {}
