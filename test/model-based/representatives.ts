import { runMachine } from '../../machines/run.machine.ts';
import type { RunEvent } from '../../machines/run.types.ts';
import { inSizes, isFullSize, testSize } from '../support/size.ts';
import { type RunPath, runEventKey } from './run-graph.ts';
import { takenTransitions } from './transitions.ts';

/**
 * In the full size all paths; else the shortest one for each transition between states. At the deep size the calls that a
 * run has before it tell two transitions apart, too. At the usual size those of them stay that another event leads along, or
 * that take another declared transition: what an event carries is otherwise tried deep.
 */
export function representatives(all: readonly RunPath[]): readonly RunPath[] {
  if (isFullSize) return all;
  const chosen = new Map<string, RunPath>();
  const words = inSizes({ usual: 1, deep: 2, full: 2 });
  const source = (key: string) => key.split(' ').slice(0, words).join(' ');
  for (const path of all) {
    const edge = `${source(path.from)} ${runEventKey(lastOf(path))} ${path.to.split(' ')[0]}`;
    const known = chosen.get(edge);
    if (!known || known.events.length > path.events.length) chosen.set(edge, path);
  }
  return testSize === 'usual' ? withoutRepeats([...chosen.values()]) : [...chosen.values()];
}

/** Those that take something that no shorter one takes. */
function withoutRepeats(paths: readonly RunPath[]): readonly RunPath[] {
  const known = new Set<string>();
  return paths
    .toSorted((a, b) => a.events.length - b.events.length)
    .filter((path) => {
      const step = `${path.from.split(' ')[0]} ${lastOf(path).type} ${path.to.split(' ')[0]}`;
      const isNew = [...takenTransitions(runMachine, [path]), step].filter((name) => !known.has(name));
      for (const name of isNew) known.add(name);
      return isNew.length > 0;
    });
}

function lastOf({ events }: RunPath): RunEvent {
  return events.at(-1) as RunEvent;
}
