import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { shortHash } from '../../text/short-hash.ts';

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

/** Reads the definition of a machine. XState's own graph leaves out transitions without an event. */
export function definitionOf(name: string, version: number, machine: AnyStateMachine): MachineDefinition {
  const { root } = machine;
  const chart = { initial: initialOf(root), states: statesOf(root) };
  return { name, version, hash: shortHash(JSON.stringify(chart)), ...chart };
}

function statesOf(node: AnyStateNode): ChartState[] {
  return Object.values(node.states).map((state: AnyStateNode) => ({
    id: idOf(state),
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
    id: `${idOf(node)}#${i}`,
    event: eventType,
    guard: guard === undefined ? null : nameOf(guard),
    targets: (target ?? []).map((one: AnyStateNode) => idOf(one)),
    actions: actions.map(nameOf),
    ...(description !== undefined && { description }),
  }));
}

function initialOf({ type, initial }: AnyStateNode): string | null {
  const target = type === 'compound' ? initial?.target[0] : undefined;
  return target ? idOf(target as AnyStateNode) : null;
}

/** A function in the chart has no name that others know. */
function nameOf(named: unknown): string {
  if (typeof named === 'string') return named;
  const { type } = named as { type?: unknown };
  return typeof type === 'string' ? type : 'inline';
}

function idOf({ path }: AnyStateNode): string {
  return path.join('.');
}
