import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';

/** A built-in action of XState, such as `assign()`: a function with its arguments as properties. */
export type BuiltIn = ((...args: never[]) => unknown) & { type: string } & Record<string, unknown>;

/** An action as a chart has it. */
type WrittenAction =
  | { kind: 'inline'; name: string }
  | { kind: 'named'; name: string }
  | { kind: 'unknown'; name: string }
  | { kind: 'built-in'; type: string; action: BuiltIn };

/** A state and all below it, in the order of the chart. */
export function* nodesOf(node: AnyStateNode): Generator<AnyStateNode> {
  yield node;
  for (const child of childrenOf(node)) yield* nodesOf(child);
}

export function childrenOf(node: AnyStateNode): AnyStateNode[] {
  return Object.values(node.states);
}

/** A state and those around it, the innermost first. */
export function* aroundOf(node: AnyStateNode): Generator<AnyStateNode> {
  for (let at: AnyStateNode | undefined = node; at; at = at.parent) yield at;
}

/** All ways out of a state, except those that XState makes for `route`. */
export function transitionsOf(node: AnyStateNode): AnyTransitionDefinition[] {
  return [...node.transitions.values(), node.always ?? []]
    .flat()
    .filter(({ eventType }) => eventType !== 'xstate.route');
}

/** All actions that a state has, and those of the ways out of it. */
export function actionsOf(node: AnyStateNode): unknown[] {
  const initial = node.type === 'compound' ? node.initial.actions : [];
  return [...node.entry, ...node.exit, ...initial, ...transitionsOf(node).flatMap(({ actions }) => actions)];
}

/** What an action of the config stands for. */
export function writtenAction(action: unknown, { implementations }: AnyStateMachine): WrittenAction {
  if (isBuiltIn(action)) return { kind: 'built-in', type: action.type, action };
  if (typeof action === 'function') return { kind: 'inline', name: action.name };
  const name = implementationName(action);
  const implementation = own(implementations.actions, name);
  if (isBuiltIn(implementation))
    return { kind: 'built-in', type: implementation.type, action: implementation };
  return { kind: typeof implementation === 'function' ? 'named' : 'unknown', name };
}

/** The name in `'name'` or `{ type: 'name' }`; an empty one for what has none. */
export function implementationName(written: unknown): string {
  if (typeof written === 'string') return written;
  const { type } = (written ?? {}) as { type?: unknown };
  return typeof type === 'string' ? type : '';
}

/** The names of the guards that a transition asks, one by one for those that `and()`, `or()` and `not()` combine. */
export function guardNames(guard: unknown): string[] {
  if (guard === undefined) return [];
  const { guards } = guard as { guards?: unknown[] };
  return guards ? guards.flatMap(guardNames) : [implementationName(guard) || 'an inline guard'];
}

/** What has a name in `setup()`. Names of `Object.prototype` are not among them. */
export function own(named: object, name: string): unknown {
  return Object.hasOwn(named, name) ? (named as Record<string, unknown>)[name] : undefined;
}

/** Whether a state itself has a transition for an event, by its name or by a wildcard. */
export function handles(node: AnyStateNode, type: string): boolean {
  return node.transitions.keys().some((descriptor) => matches(type, descriptor));
}

/** Whether a descriptor such as `order.*` means an event. */
export function matches(type: string, descriptor: string): boolean {
  if (descriptor === '*' || descriptor === type) return true;
  return descriptor.endsWith('.*') && `${type}.`.startsWith(descriptor.slice(0, -1));
}

function isBuiltIn(action: unknown): action is BuiltIn {
  return typeof action === 'function' && 'resolve' in action && 'type' in action;
}
