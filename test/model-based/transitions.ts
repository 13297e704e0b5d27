import { type AnyStateMachine, type AnyStateNode, createActor, type EventObject } from 'xstate';
import type { TransitionPath } from '../../src/testing/transition-paths.ts';

interface Definition {
  source: AnyStateNode;
  eventType: string;
  guard?: unknown;
  target?: readonly AnyStateNode[];
}

function nameOf({ source, eventType, guard, target }: Definition): string {
  const guardName =
    typeof guard === 'string' ? guard : ((guard as { type?: string } | undefined)?.type ?? '');
  const to = target?.map((node) => node.path.join('.')).join(',') ?? '';
  return `${source.path.join('.')} ${eventType || 'always'} [${guardName}] → ${to}`;
}

/** Every transition that the chart declares, `always` included. */
export function declaredTransitions(machine: AnyStateMachine): Set<string> {
  const names = new Set<string>();
  const visit = (node: AnyStateNode) => {
    for (const transition of [...[...node.transitions.values()].flat(), ...(node.always ?? [])])
      names.add(nameOf(transition as Definition));
    for (const child of Object.values(node.states)) visit(child);
  };
  visit(machine.root);
  return names;
}

/** Every transition that a live actor takes on the paths, microsteps included. */
export function takenTransitions<E extends EventObject>(
  machine: AnyStateMachine,
  paths: readonly (TransitionPath<E> & { input: unknown })[],
): Set<string> {
  const names = new Set<string>();
  for (const { events, input } of paths) {
    const actor = createActor(machine, {
      input,
      inspect: (inspection) => {
        if (inspection.type !== '@xstate.microstep') return;
        for (const transition of inspection._transitions as unknown as Definition[])
          names.add(nameOf(transition));
      },
    });
    actor.start();
    for (const event of events) actor.send(event);
    actor.stop();
  }
  return names;
}
