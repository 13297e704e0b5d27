import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callHook } from '../../src/call/hooks/one-hook.ts';
import { afterTimeOf, awaitForeign } from '../../src/engine/foreign-code.ts';
import { attempt } from '../../src/tools/calls/attempt.ts';

const { signal } = new AbortController();
const timeoutMs = 10;

function busy(): void {
  const end = performance.now() + 4 * timeoutMs;
  while (performance.now() < end);
}

/** Answers at once, in a process that is busy beyond the time limit from then on. */
const answersAtOnce = <T>(answer: T) => {
  queueMicrotask(busy);
  return answer;
};

describe('foreign code that answers in time, in a process that is too busy to hear of it', () => {
  it('is a hook that has answered', async () => {
    await turn();
    const hook = () => answersAtOnce({ veto: 'no' });
    expect(await callHook('beforeTool', hook, {}, { timeoutMs, signal })).toEqual({
      did: 'veto',
      reason: 'no',
    });
  });

  it('is a tool that has returned', async () => {
    await turn();
    const work = () => awaitForeign('tool "pay"', () => answersAtOnce('paid'));
    expect(await attempt(work, timeoutMs, signal)).toEqual({ ended: 'returned', value: 'paid' });
  });

  it('is one whose answer lies in a socket', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const near = connect((server.address() as { port: number }).port, '127.0.0.1');
    const [far] = await once(server, 'connection');
    onTestFinished(() => {
      near.destroy();
      server.close();
    });
    const answer = awaitForeign('tool "ask"', () => once(near, 'data').then(String));
    const late = new Promise((resolve) => afterTimeOf(timeoutMs, () => resolve('too late')));
    far.write('paid');
    busy();
    expect(await Promise.race([answer, late])).toBe('paid');
  });
});

it('a time limit ends what has not answered, and is over once it is called off', async () => {
  const late = (ms: number) => new Promise((resolve) => afterTimeOf(ms, () => resolve('too late')));
  expect(await Promise.race([new Promise(() => {}), late(timeoutMs)])).toBe('too late');
  const fired: string[] = [];
  afterTimeOf(timeoutMs, () => fired.push('late'))();
  await late(2 * timeoutMs);
  expect(fired).toEqual([]);
});
