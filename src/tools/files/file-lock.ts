import { KeyedQueue } from '../../text/keyed-queue.ts';

const queue = new KeyedQueue();

/**
 * Runs `work` after all earlier work of this process on the same file, so that two runs that edit one file do not lose
 * each other's changes.
 */
export function withFileLock<Value>(real: string, work: () => Promise<Value>): Promise<Value> {
  return queue.enqueue(real, work);
}
