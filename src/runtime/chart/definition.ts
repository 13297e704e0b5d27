import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { stateIdOf } from '../../engine/machine.ts';
import type { ChartState, ChartTransition, MachineDefinition } from '../../protocol/views.ts';
import { shortHash } from '../../text/ids.ts';

/** Reads the definition of a machine. XState's own graph leaves out transitions without an event. */
export function definitionOf(name: string, version: number, machine: AnyStateMachine): MachineDefinition {
  const { root } = machine;
  const chart = { initial: initialOf(root), states: statesOf(root), transitions: transitionsOf(root) };
  return { name, version, hash: shortHash(JSON.stringify(chart)), ...chart };
}

function statesOf(node: AnyStateNode): ChartState[] {
  return Object.values(node.states).map((state: AnyStateNode) => ({
    id: stateIdOf(state),
    key: state.key,
    type: state.type,
    ...(state.description !== undefined && { description: state.description }),
    initial: initialOf(state),
    states: statesOf(state),
    transitions: transitionsOf(state),
  }));
}

function transitionsOf(node: AnyStateNode): ChartTransition[] {
  const all = [...[...node.transitions.values()].flat(), ...(node.always ?? [])];
  return all.map(({ eventType, guard, target, actions, description }, i) => ({
    id: `${stateIdOf(node)}#${i}`,
    event: eventType,
    guard: guard === undefined ? null : implementationName(guard),
    targets: (target ?? []).map((one: AnyStateNode) => stateIdOf(one)),
    actions: actions.map(implementationName),
    ...(description !== undefined && { description }),
  }));
}

function initialOf({ type, initial }: AnyStateNode): string | null {
  const target = type === 'compound' ? initial?.target[0] : undefined;
  return target ? stateIdOf(target as AnyStateNode) : null;
}

/** A function in the chart has no name that others know. */
function implementationName(named: unknown): string {
  if (typeof named === 'string') return named;
  const { type } = named as { type?: unknown };
  return typeof type === 'string' ? type : 'inline';
}
