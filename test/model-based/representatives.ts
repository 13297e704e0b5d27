import type { RunEvent } from '../../machines/run.types.ts';
import { inSizes, isFullSize } from '../support/size.ts';
import { type RunPath, runEventKey } from './run-graph.ts';

/**
 * In the full size all paths; else the shortest one for each transition between states. At the deep size the calls that a
 * run has before it tell two transitions apart, too.
 */
export function representatives(all: readonly RunPath[]): readonly RunPath[] {
  if (isFullSize) return all;
  const chosen = new Map<string, RunPath>();
  const words = inSizes({ usual: 1, deep: 2, full: 2 });
  const source = (key: string) => key.split(' ').slice(0, words).join(' ');
  for (const path of all) {
    const last = path.events.at(-1) as RunEvent;
    const edge = `${source(path.from)} ${runEventKey(last)} ${path.to.split(' ')[0]}`;
    const known = chosen.get(edge);
    if (!known || known.events.length > path.events.length) chosen.set(edge, path);
  }
  return [...chosen.values()];
}
