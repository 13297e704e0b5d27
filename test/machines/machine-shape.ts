import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { PureMachine } from '../../src/engine/machine/pure-machine.ts';

/**
 * Everything of a machine that a stored run can depend on, as lines of text: its states with their tags, actions and
 * transitions, and the keys of its context. What functions compute has no shape, and is not in it.
 */
export function machineShape(machine: AnyStateMachine, input: unknown): string[] {
  const [{ context }] = new PureMachine(machine).initialTransition(input);
  const { actions, guards } = machine.implementations;
  return [
    `context: ${Object.keys(context).join(' ')}`,
    `actions: ${Object.keys(actions).sort().join(' ')}`,
    `guards: ${Object.keys(guards).sort().join(' ')}`,
    ...shapeOf(machine.root),
  ];
}

function shapeOf(node: AnyStateNode): string[] {
  const name = node.path.join('.') || node.id;
  const { initial, entry, exit, tags, transitions, always } = node;
  const about = [node.type, ...[...tags].map((tag) => `#${tag}`)].join(' ');
  const begins = node.type === 'compound' ? ` -> ${initial.target.map(pathOf).join(' ')}` : '';
  const moves = [...transitions.values(), always ?? []].flat();
  return [
    `${name}: ${about}${begins}`,
    ...actionsOf(entry).map((action) => `${name} entry: ${action}`),
    ...actionsOf(exit).map((action) => `${name} exit: ${action}`),
    ...moves.map(({ eventType, guard, target, reenter, actions }) => {
      const guarded = guard ? ` [${nameOf(guard)}]` : '';
      const targets = target ? ` -> ${target.map(pathOf).join(' ')}` : '';
      const done = actions.length > 0 ? ` / ${actionsOf(actions).join(', ')}` : '';
      return `${name} on ${eventType || 'always'}${guarded}${targets}${reenter ? ' (reenters)' : ''}${done}`;
    }),
    ...Object.values(node.states).flatMap(shapeOf),
  ];
}

const pathOf = (node: AnyStateNode) => node.path.join('.');

function actionsOf(actions: readonly unknown[]): string[] {
  return actions.map((action) => {
    const { params } = action as { params?: unknown };
    if (params === undefined) return nameOf(action);
    return `${nameOf(action)} ${typeof params === 'function' ? 'computed' : JSON.stringify(params)}`;
  });
}

function nameOf(named: unknown): string {
  return typeof named === 'string' ? named : (named as { type: string }).type;
}
