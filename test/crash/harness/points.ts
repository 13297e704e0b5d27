import { testSeed } from '../../support/seed.ts';

/**
 * So many of a scenario's boundaries, from all over it: in each part of it another one.
 *
 * @param salt other scenarios have other ones
 */
export function spread(count: number, wanted: number, salt: number): number[] {
  const part = count / wanted;
  return Array.from({ length: wanted }, (_, i) =>
    Math.floor(i * part + (wanted === count ? 0 : ((testSeed + i) * 7919 + salt * 31) % part)),
  );
}
