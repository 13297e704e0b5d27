import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { implementationName, nodesOf, transitionsOf } from '../../workflow/check.ts';
import { eventWords } from './happening.ts';

/** A transition that a chart declares. */
export interface ChartTransition {
  /** The path of its state in the chart; empty for the chart itself. */
  state: string;
  /** `assess done`, `assess failed`, `after patience`, `always`, `onDone`, or the type of an event. */
  event: string;
  /** The name of its guard. */
  guard?: string;
  /** The paths of the states that it leads to. */
  target?: string;
}

/** All transitions of a chart, in the order of its states. */
export function transitionsIn(chart: AnyStateMachine): Map<AnyTransitionDefinition, ChartTransition> {
  const all = [...nodesOf(chart.root)].flatMap((node) => transitionsOf(node));
  return new Map(all.map((transition) => [transition, chartTransition(transition)]));
}

function chartTransition({ source, eventType, guard, target }: AnyTransitionDefinition): ChartTransition {
  const goal = target?.map(pathOf).join(', ');
  return {
    state: pathOf(source),
    event: eventWords(eventType, source.id),
    ...(guard !== undefined && { guard: implementationName(guard) || '(inline)' }),
    ...(goal !== undefined && goal !== '' && { target: goal }),
  };
}

function pathOf({ path }: AnyStateNode): string {
  return path.join('.');
}
