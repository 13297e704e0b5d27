import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { shortHash } from '../../text/ids.ts';
import { implementationName } from '../check/written.ts';

/**
 * Hash of what a stored run refers to: states, their kinds, transitions with their targets, the ids and sources of
 * invocations, and delays. Functions count only by name, so that reformatting a guard does not make another chart.
 */
export function chartHash(chart: AnyStateMachine): string {
  return shortHash(JSON.stringify(shapeOf(chart.root)));
}

function shapeOf(node: AnyStateNode): object {
  return {
    key: node.key,
    type: node.type,
    history: node.history,
    initial: node.initial?.target.map(({ id }) => id),
    invoke: node.invoke.map(({ id, src }) => [id, implementationName(src)]),
    on: [...node.transitions].map(([type, transitions]) => [type, transitions.map(wayOf)]),
    always: node.always?.map(wayOf),
    entry: node.entry.map(implementationName),
    exit: node.exit.map(implementationName),
    states: Object.values(node.states).map(shapeOf),
  };
}

function wayOf({ target = [], guard, actions, reenter }: AnyTransitionDefinition): object {
  return [
    target.map(({ id }) => id),
    guard === undefined ? null : implementationName(guard),
    actions.map(implementationName),
    reenter,
  ];
}
