/**
 * How much is run of the tests that can be run at several sizes: `usual` takes seconds (`npm test`), `deep` minutes
 * (`npm run test:deep`, and `.ci/run`), `full` has the counts that are claimed (`npm run test:full`).
 */
type TestSize = 'usual' | 'deep' | 'full';

const sizes: readonly TestSize[] = ['usual', 'deep', 'full'];

export const testSize = sizeOf(process.env.DETENT_TEST_SIZE || 'usual');

export const isFullSize = testSize === 'full';

function sizeOf(name: string): TestSize {
  const size = sizes.find((known) => known === name);
  if (size === undefined) throw new Error(`DETENT_TEST_SIZE is ${sizes.join(', ')}, not "${name}"`);
  return size;
}

/** Whether what takes long is run; for rarer cases see deep.ts. */
export const isDeep = testSize !== 'usual';

/** For what is quick enough to be run every day at its deep size. */
export function sized(small: number, full: number): number {
  return isFullSize ? full : small;
}

/** For what is run at a smaller size every day. */
export function inSizes<T>(counts: Readonly<Record<TestSize, T>>): T {
  return counts[testSize];
}
