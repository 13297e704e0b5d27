const tails = new Map<string, Promise<void>>();

/**
 * Runs `work` when all earlier work on the same file of this process has ended, so that two runs that edit one file
 * do not lose each other's change.
 */
export async function withFileLock<Value>(real: string, work: () => Promise<Value>): Promise<Value> {
  const before = tails.get(real);
  const { promise: tail, resolve: release } = Promise.withResolvers<void>();
  tails.set(real, tail);
  await before;
  try {
    return await work();
  } finally {
    if (tails.get(real) === tail) tails.delete(real);
    release();
  }
}
