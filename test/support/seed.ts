import { isFullSize } from './size.ts';

/**
 * Where random tests begin. One commit passes or fails the same way each time; another seed tries other cases:
 * `DETENT_TEST_SEED=7 npm test`.
 */
export const testSeed = Number(process.env.DETENT_TEST_SEED ?? 1);

/** Of property-based tests. The full size searches where nobody has looked, and names the seed of what it finds. */
export const propertySeed = isFullSize && process.env.DETENT_TEST_SEED === undefined ? undefined : testSeed;
