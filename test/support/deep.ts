import { describe, inject, it } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether rarer cases are run: at the deep size, and of a file that is named on the command line. */
    hasRarer: boolean;
  }
}

type Named = (name: string, body: () => Promise<void> | void) => void;

const leftOut: Named = () => {};
const hasRarer = inject('hasRarer');

/** `it` for a rarer case of a suite: `npm test` leaves it to the deep size, and says nothing of it. */
export const itDeep: Named = hasRarer ? it : leftOut;

/** `describe` for rarer cases. */
export const describeDeep: Named = hasRarer ? describe : leftOut;

/** The cases of an `each`: at most so many from all over the list, or all where rarer ones are run. */
export function someOf<T>(cases: readonly T[], max: number): readonly T[] {
  const stride = hasRarer ? 1 : Math.ceil(cases.length / max);
  return cases.filter((_, i) => i % stride === 0);
}
