import { describe, it } from 'vitest';

/** What the test reporter looks for in the names of skipped tests. */
export const notRun = 'NOT RUN: ';

/**
 * `describe` for tests that need something of the machine. Where it is missing they are reported as not run, with the
 * reason; under CI that is a failure, unless it is `optional`: a thing that no npm install brings.
 */
export function describeWith(has: boolean, why: string, optional = false): typeof describe {
  if (has) return describe;
  const stand = (name: string | ((...args: never) => unknown)) =>
    describe(String(name), () => {
      const missing = () => {
        throw new Error(`${notRun}${why}`);
      };
      if (process.env.CI && !optional) it(`${notRun}${why}`, missing);
      else it.skip(`${notRun}${why}`, missing);
    });
  return Object.assign(stand, { concurrent: stand }) as unknown as typeof describe;
}
