import { describe, expect, it } from 'vitest';
import { KeyedQueue } from '../../src/text/limiter.ts';

const turns = () => new Promise((resolve) => setImmediate(resolve));

/** Work that ends when the test says so. */
function held(log: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const work = () => {
    log.push(name);
    return promise;
  };
  return { work, end: resolve, fail: () => reject(new Error(name)) };
}

describe('a keyed queue', () => {
  it('does the work of one key in order, and that of others beside it', async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const first = held(log, 'a1');
    const done = [
      queue.enqueue('a', first.work),
      queue.enqueue('a', async () => void log.push('a2')),
      queue.enqueue('b', async () => void log.push('b1')),
    ];
    await turns();
    expect(log).toEqual(['a1', 'b1']);
    first.end();
    await Promise.all(done);
    expect(log).toEqual(['a1', 'b1', 'a2']);
  });

  it('continues after work that failed, and drains at the end', async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const first = held(log, 'a1');
    const failing = queue.enqueue('a', first.work);
    const next = queue.enqueue('a', async () => void log.push('a2'));
    const drained = queue.drain().then(() => void log.push('drained'));
    first.fail();
    await expect(failing).rejects.toThrow('a1');
    await Promise.all([next, drained]);
    expect(log).toEqual(['a1', 'a2', 'drained']);
  });
});
