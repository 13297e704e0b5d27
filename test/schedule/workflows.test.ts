import { describe, expect, it, onTestFinished } from 'vitest';
import { assign, setup } from 'xstate';
import * as z from 'zod';
import { stateLines } from '../../src/cli/commands/cron/words.ts';
import { createScheduler } from '../../src/schedule/index.ts';
import { fakeClock } from '../../src/testing/index.ts';
import { step, workflow } from '../../src/workflow/index.ts';
import { withModel } from '../support/detent.ts';
import { orderWorkflow } from '../support/order-workflow.ts';
import { atRest, hour, parrot } from './support.ts';

const chart = setup({
  types: {
    input: {} as { since: string },
    context: {} as { since: string; lines: string },
    output: {} as { digest: string },
  },
  actors: {
    collect: step({
      sideEffect: 'readonly',
      run: async ({ since }: { since: string }) => `news since ${since}`,
    }),
  },
  actions: { keep: assign((_, params: { lines: string }) => params) },
}).createMachine({
  id: 'digest',
  version: '1',
  context: ({ input }) => ({ since: input.since, lines: '' }),
  initial: 'collecting',
  output: ({ context }) => ({ digest: context.lines }),
  states: {
    collecting: {
      invoke: {
        id: 'collect',
        src: 'collect',
        input: ({ context }) => ({ since: context.since }),
        onDone: {
          target: 'done',
          actions: { type: 'keep', params: ({ event }) => ({ lines: event.output }) },
        },
        onError: 'done',
      },
    },
    done: { type: 'final' },
  },
});

function world() {
  const clock = fakeClock();
  const digest = workflow(chart, { input: z.strictObject({ since: z.string() }) });
  const detent = withModel(parrot(), { clock, workflows: [digest, orderWorkflow] });
  const printed: string[] = [];
  const scheduler = createScheduler(detent, { timeZone: 'UTC', print: (text) => void printed.push(text) });
  onTestFinished(() => scheduler.close());
  return { clock, detent, scheduler, printed };
}

const digestJob = { jobId: 'digest', every: '1h', workflow: 'digest', input: { since: '{{slot}}' } };

describe('a job that names a workflow', () => {
  it('starts it at each slot, and delivers its output', async () => {
    const { clock, detent, printed, scheduler } = world();
    await scheduler.start();
    const { prompt, workflow: named } = await scheduler.add({ ...digestJob, keep: 1, delivery: 'console' });
    expect([prompt, named]).toEqual(['', 'digest']);
    for (let i = 0; i < 3; i++) {
      await clock.advance(hour);
      await atRest({ clock, scheduler });
    }
    const [last] = await scheduler.history('digest');
    expect(last).toMatchObject({ status: 'ok' });
    const time = new Date(last?.slot ?? 0).toISOString().replace('.000', '');
    expect(printed.at(-1)).toContain(`{"digest":"news since ${time}"}`);
    // Those of older slots are deleted, with their sessions.
    const runs = (await detent.runs.list()).filter(({ workflow: id }) => id === 'digest');
    expect(runs.map(({ runId }) => runId)).toContain(last?.runId);
    expect(runs.length).toBeLessThan(3);
  });

  it('is of the job’s user, and the slot waits while the workflow asks a person, or waits for an event', async () => {
    const { clock, detent, scheduler } = world();
    await scheduler.start();
    const order = { jobId: 'order', every: '1h', workflow: 'order', input: { order: 'o1' } };
    await scheduler.add(order, { userId: 'alice' });
    await clock.advance(hour);
    await expect.poll(async () => (await scheduler.get('order')).state).toBe('waiting');
    const runId = String((await scheduler.get('order')).current?.runId);
    expect(await detent.runs.ownerOf(runId)).toMatchObject({ userId: 'alice' });
    expect((await scheduler.get('order')).current).not.toHaveProperty('waitsForEvent');
    await detent.workflows.answer(runId, 'approval', { approved: true });
    await expect
      .poll(async () => (await scheduler.get('order')).current)
      .toMatchObject({ status: 'waiting', waitsForEvent: true });
    expect(await scheduler.history('order')).toMatchObject([{ waitsForEvent: true }]);
    expect(stateLines(await scheduler.get('order'))[0]).toBe('waiting for an event, or for the clock');
    await detent.workflows.send(runId, { type: 'order.recalled' });
    await atRest({ clock, scheduler });
    expect((await scheduler.get('order')).last).toMatchObject({ status: 'ok' });
  });

  it.each([
    ['neither a prompt nor a workflow', { workflow: undefined, input: undefined }, 'INVALID_JOB'],
    ['both', { prompt: 'go' }, 'INVALID_JOB'],
    ['an input without a workflow', { prompt: 'go', workflow: undefined }, 'INVALID_JOB'],
    ['an agent', { agent: 'ops' }, 'INVALID_JOB'],
    ['a skill', { skill: 'daily' }, 'INVALID_JOB'],
    ['a limit of agents', { limits: { maxSteps: 3 } }, 'INVALID_JOB'],
    ['the last result', { input: { since: '{{last}}' } }, 'INVALID_JOB'],
    ['a workflow that there is not', { workflow: 'digests' }, 'UNKNOWN_WORKFLOW'],
    ['an input that does not fit', { input: { until: 'now' } }, 'INVALID_INPUT'],
    ['a budget that there is not', { budget: 'none' }, 'UNKNOWN_BUDGET'],
  ])('is refused with %s', async (_what, change, code) => {
    const { scheduler } = world();
    await expect(scheduler.add({ ...digestJob, ...change })).rejects.toMatchObject({ code });
    expect(await scheduler.list()).toEqual([]);
  });

  it('becomes one with a prompt, and back; a change of its input alone keeps it', async () => {
    const { scheduler } = world();
    await scheduler.add({ ...digestJob, limits: { maxTokens: 10 } });
    const change = (fields: object) => scheduler.update('digest', fields);
    expect(await change({ input: { since: 'noon' } })).toMatchObject({
      workflow: 'digest',
      input: { since: 'noon' },
    });
    expect(await change({ every: '2h' })).toMatchObject({ input: { since: 'noon' } });
    await expect(change({ agent: 'ops' })).rejects.toMatchObject({ code: 'INVALID_JOB' });
    const prompted = await change({ prompt: 'Sum up.' });
    expect(prompted).toMatchObject({ prompt: 'Sum up.' });
    expect([prompted.workflow, prompted.input]).toEqual([undefined, undefined]);
    await expect(change({ input: {} })).rejects.toMatchObject({ code: 'INVALID_JOB' });
    expect(await change({ workflow: 'digest', input: { since: '' } })).toMatchObject({ prompt: '' });
  });
});
