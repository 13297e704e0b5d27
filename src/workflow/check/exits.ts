import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition, EventObject } from 'xstate';
import type { Findings } from './findings.ts';
import {
  aroundOf,
  type BuiltIn,
  childrenOf,
  matches,
  nodesOf,
  transitionsOf,
  writtenAction,
} from './written.ts';

/** How a state can be at rest, with no timer and no service that would end it. */
interface Rest {
  /** The states that wait there for events alone. */
  waiting: readonly AnyStateNode[];
  /** Whether the state is at rest because it has ended. */
  isOver: boolean;
}

const never: Rest = { waiting: [], isOver: false };

/**
 * Finds states that wait for events alone. In a parallel state one region may wait as long as another one leads on: only
 * if all regions can be at rest at once, those that wait have no exit.
 *
 * @param raisers states in which the chart was seen to raise a delayed event by `enqueueActions()`
 */
export function checkExits(
  chart: AnyStateMachine,
  raisers: ReadonlySet<AnyStateNode>,
  findings: Findings,
): void {
  for (const node of restOf(chart.root, new Set([...raisers, ...raisersOf(chart)])).waiting) {
    if (node.type !== 'atomic')
      findings.add('NO_EXIT', node, 'can end, but then has no transition', 'add onDone, or make it final');
    else if (!aroundOf(node).some(({ ownEvents }) => ownEvents.length > 0))
      findings.add('NO_EXIT', node, 'has no exit: a run stays in it forever', "make it final: type: 'final'");
    else
      findings.add(
        'NO_EXIT',
        node,
        'waits only for events, and may wait forever',
        `add after, such as { ${7 * 86_400_000}: … } for a week, or make it final`,
      );
  }
}

function restOf(node: AnyStateNode, raisers: ReadonlySet<AnyStateNode>): Rest {
  if (node.type === 'history') return never;
  if (node.type === 'final') return { waiting: [], isOver: true };
  if (hasExit(node, raisers)) return never;
  if (node.type === 'atomic') return { waiting: [node], isOver: false };
  const rests = childrenOf(node)
    .filter(({ type }) => type !== 'history')
    .map((child) => ({ child, ...restOf(child, raisers) }));
  // Its end has a transition: its own `onDone`, or one of a state around it.
  const isLeft = node.parent !== undefined && leadsAround(node, `xstate.done.state.${node.id}`);
  if (node.type === 'parallel') {
    if (rests.length === 0) return { waiting: [node], isOver: false };
    if (rests.some(({ waiting, isOver }) => waiting.length === 0 && !isOver)) return never;
    return {
      waiting: rests.flatMap(({ waiting }) => waiting),
      isOver: !isLeft && rests.every(({ isOver }) => isOver),
    };
  }
  return {
    // Only a final child ends a state. A child that has ended without being final, and has no transition, stays.
    waiting: rests.flatMap(({ child, waiting, isOver }) =>
      isOver && child.type !== 'final' ? [...waiting, child] : waiting,
    ),
    isOver: !isLeft && rests.some(({ child }) => child.type === 'final'),
  };
}

/** Whether a state is left by a timer, a service, an event that it raises itself, or at once. */
function hasExit(node: AnyStateNode, raisers: ReadonlySet<AnyStateNode>): boolean {
  if (raisers.has(node)) return true;
  const isOwn = /^($|xstate\.after\.|xstate\.done\.actor\.)/;
  if (transitionsOf(node).some((way) => isOwn.test(way.eventType) && leadsOn(way))) return true;
  return node.invoke.some(({ id }) => leadsAround(node, `xstate.done.actor.${id}`));
}

/** Whether an event leads out of a state, or out of one around or below it. */
function leadsAround(node: AnyStateNode, type: string): boolean {
  return [...aroundOf(node), ...nodesOf(node)].some((at) =>
    transitionsOf(at).some((way) => way.eventType !== '' && matches(type, way.eventType) && leadsOn(way)),
  );
}

/** Whether a transition leads to another state, at once or by an event that it raises. */
function leadsOn({ target, actions, source }: AnyTransitionDefinition): boolean {
  return target !== undefined || builtIns(actions, source).some(({ type }) => raising.has(type));
}

const raising: ReadonlySet<string> = new Set(['xstate.raise', 'xstate.enqueueActions']);

/** The states in which the chart raises an event that leads on, now or later: on entry, or on a way into them. */
function raisersOf({ root }: AnyStateMachine): AnyStateNode[] {
  const nodes = [...nodesOf(root)];
  const into = new Map<AnyStateNode, unknown[]>(nodes.map((node) => [node, [...node.entry]]));
  for (const from of nodes)
    for (const { target, actions } of from.type === 'compound'
      ? [from.initial, ...transitionsOf(from)]
      : transitionsOf(from))
      for (const node of target ?? []) into.get(node)?.push(...actions);
  return nodes.filter((node) =>
    builtIns(into.get(node) ?? [], node).some((written) => raises(written, node)),
  );
}

function raises({ type, action }: { type: string; action: BuiltIn }, node: AnyStateNode): boolean {
  if (type !== 'xstate.raise') return false;
  const { type: raised } = action.event as Partial<EventObject>;
  // A function makes the event, so it may be any event.
  return raised === undefined || (!raised.startsWith('xstate.after.') && leadsAround(node, raised));
}

function builtIns(actions: readonly unknown[], { machine }: AnyStateNode) {
  return actions
    .map((action) => writtenAction(action, machine))
    .filter((written) => written.kind === 'built-in');
}
