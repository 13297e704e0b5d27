import { KeyedQueue } from '../../text/keyed-queue.ts';

const queue = new KeyedQueue();

/**
 * Runs `work` when all earlier work on the same file of this process has ended, so that two runs that edit one file
 * do not lose each other's change.
 */
export function withFileLock<Value>(real: string, work: () => Promise<Value>): Promise<Value> {
  return queue.enqueue(real, work);
}
