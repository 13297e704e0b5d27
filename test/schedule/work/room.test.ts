import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { jobsOf } from '../../../src/schedule/door.ts';
import { createScheduler } from '../../../src/schedule/scheduler.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { tool, withModel } from '../../support/detent.ts';
import { scheduling } from './support.ts';

/** An agent whose answers wait until they are let go; `ask` in a prompt has it ask a person first. */
function agent() {
  const waiting: (() => void)[] = [];
  const count = { now: 0, max: 0, all: 0 };
  const detent = withModel(
    {
      async generate(request, options) {
        count.all++;
        count.max = Math.max(count.max, ++count.now);
        const asks = request.messages.at(-1)?.text.includes('ask');
        const aborted = new Promise<void>((resolve) =>
          options.signal.addEventListener('abort', () => resolve()),
        );
        if (!asks) await Promise.race([new Promise<void>((resolve) => waiting.push(resolve)), aborted]);
        count.now--;
        const line = asks ? { toolCalls: [{ name: 'send' }] } : { text: 'done' };
        return scriptedModel([line]).generate(request, options);
      },
    },
    {
      tools: {
        allowed: ['send'],
        define: [tool('send', { sideEffect: 'unsafe', confirm: true })],
      },
    },
  );
  return { detent, count, letGo: () => waiting.splice(0).forEach((go) => void go()) };
}

/** Runs what is given now and then until it is true. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await pause(5);
}

describe('room for the runs of jobs', () => {
  it('bounds how many are at work at once; the others wait for their turn, and all run', async () => {
    const { detent, count, letGo } = agent();
    const { scheduler, add, rested } = await scheduling(detent, { concurrency: 2 });
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const jobId of ids) {
      await add({ jobId });
      await scheduler.run(jobId);
    }
    await until(() => count.now === 2);
    while (count.all < ids.length) {
      letGo();
      await pause(5);
    }
    letGo();
    const slots = await Promise.all(ids.map((jobId) => rested(jobId, 1)));
    expect(slots.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
    expect(count.max).toBe(2);
  });

  it('does not count a run that waits for a person', async () => {
    const { detent, count, letGo } = agent();
    const { scheduler, add, rested } = await scheduling(detent, { concurrency: 1 });
    await add({ jobId: 'asks', prompt: 'ask' });
    await add({ jobId: 'works' });
    await scheduler.run('asks');
    await until(async () => (await scheduler.get('asks')).state === 'waiting');
    await scheduler.run('works');
    await until(() => count.all === 2);
    letGo();
    expect((await rested('works', 1)).status).toBe('ok');
  });

  it('begins no run of a slot whose place a later one took meanwhile', async () => {
    const { detent, count, letGo } = agent();
    const { scheduler, add } = await scheduling(detent, { concurrency: 1 });
    await add({ jobId: 'long' });
    await scheduler.run('long');
    await until(() => count.now === 1);
    await add({ jobId: 'often', at: undefined, every: '1s', overlap: 'cancel-previous' });
    await until(async () => {
      const { context } = await (await jobsOf(detent)).get(1, 'often');
      return context.firing?.stopping === true;
    });
    await scheduler.disable('often');
    letGo();
    const first = async () => (await scheduler.history('often')).find(({ n }) => n === 1);
    await until(async () => (await first())?.endedAt !== null);
    expect(await first()).toMatchObject({ status: 'cancelled', runId: null });
    letGo();
  });

  it('is at least for one', () => {
    const { detent } = agent();
    for (const concurrency of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => createScheduler(detent, { concurrency })).toThrow(
        /"concurrency" is a whole number of at least 1/,
      );
  });
});
