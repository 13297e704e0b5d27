import { inSizes } from '../../support/size.ts';
import type { Result } from './matrix.ts';

/** Each scenario with one process and with three; at the usual size one in four, of which half have three. */
export function casesOf<S extends { name: string }>(scenarios: readonly S[]) {
  return [1, 3].flatMap((processes) =>
    scenarios
      .filter((_, i) =>
        inSizes({
          usual: i % 8 === (processes === 1 ? 0 : 4),
          deep: i % 2 === (processes === 1 ? 0 : 1),
          full: true,
        }),
      )
      .map((scenario) => ({
        scenario,
        processes,
        title: `${scenario.name}, ${processes === 1 ? 'alone' : 'one of three'}`,
      })),
  );
}

/** How many boundaries of a scenario a process must have died at. */
export const minPoints = inSizes({ usual: 1, deep: 2, full: 10 });

/** Adds the counts of a result, and its lists, to those of all. */
export function addTo<R extends Result>(total: R, result: R): void {
  const counts = total as unknown as Record<string, number | unknown[]>;
  for (const [name, value] of Object.entries(result)) {
    const before = counts[name];
    if (typeof value === 'number') counts[name] = Number(before) + value;
    else if (Array.isArray(before)) before.push(...(value as unknown[]));
  }
}
