/** Whether the counts that are claimed are run (`npm run test:full`), or a size that fits into every day. */
export const isFullSize = process.env.DETENT_TEST_SIZE === 'full';

export function sized(small: number, full: number): number {
  return isFullSize ? full : small;
}
