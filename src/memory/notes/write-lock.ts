import { join } from 'node:path';
import { DetentError } from '../../protocol/error.ts';
import { whileLocked } from '../../text/files.ts';
import { KeyedQueue } from '../../text/limiter.ts';

const queue = new KeyedQueue();

/**
 * Runs `work` under the memory's write lock: a queue within this process, and a file's lock between processes.
 *
 * @throws DetentError `MEMORY_BUSY` when another process holds the lock for ten seconds.
 */
export function whileWriting<Result>(home: string, work: () => Promise<Result>): Promise<Result> {
  return queue.enqueue(home, () => whileLocked(join(home, '.detent', 'memory-lock'), () => busy(home), work));
}

function busy(home: string): DetentError {
  return new DetentError('MEMORY_BUSY', `another process is writing to the memory in ${home}; try again`, {
    retryable: true,
  });
}
