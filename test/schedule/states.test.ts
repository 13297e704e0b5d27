import { describe, expect, it, onTestFinished } from 'vitest';
import { createDetent, type DetentOptions } from '../../src/index.ts';
import { createScheduler, type JobInput, type Scheduler } from '../../src/schedule/index.ts';
import { type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { temporaryWorkspace, tool } from '../support/detent.ts';

const daily: JobInput = { jobId: 'daily', cron: '0 9 * * *', timeZone: 'UTC', prompt: 'Sum up.' };
const day = 86_400_000;

/** A scheduler over a database file. */
function schedulerIn(
  workspace: string,
  script: readonly ScriptLine[] = [],
  options: DetentOptions = {},
  now = Date.now,
) {
  const detent = createDetent({
    env: {},
    workspace,
    database: { file: 'jobs.db' },
    model: 'test/script',
    models: { test: scriptedModel(script) },
    ...options,
  });
  const scheduler = createScheduler(detent, { now, print: () => {} });
  onTestFinished(async () => {
    await scheduler.close();
    await detent.close();
  });
  return { detent, scheduler };
}

/** The job once it is in a state. */
async function reached(scheduler: Scheduler, state: string, jobId = 'daily') {
  for (;;) {
    const job = await scheduler.get(jobId);
    if (job.state === state) return job;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('a job where no process runs the schedule', () => {
  it('is scheduled until its slot has come, and overdue from then on', async () => {
    const workspace = await temporaryWorkspace();
    const { scheduler } = schedulerIn(workspace);
    expect(await scheduler.add(daily)).toMatchObject({ state: 'scheduled', next: { length: 3 } });
    const { scheduler: later } = schedulerIn(workspace, [], {}, () => Date.now() + day + 10_000);
    expect((await later.get('daily')).state).toBe('overdue');
  });

  it('is overdue when somebody asked for a run that no process begins', async () => {
    const workspace = await temporaryWorkspace();
    const { scheduler } = schedulerIn(workspace);
    await scheduler.add(daily);
    await scheduler.run('daily');
    const { scheduler: later } = schedulerIn(workspace, [], {}, () => Date.now() + 10_000);
    expect(await later.get('daily')).toMatchObject({ state: 'overdue', current: { kind: 'manual' } });
  });

  it('can be paused and disabled, and says so', async () => {
    const { scheduler } = schedulerIn(await temporaryWorkspace());
    await scheduler.add(daily);
    expect(await scheduler.pause('daily')).toMatchObject({
      state: 'paused',
      why: 'paused by hand',
      next: [],
    });
    expect(await scheduler.disable('daily', 'not now')).toMatchObject({ state: 'disabled', why: 'not now' });
    expect(await scheduler.enable('daily')).toMatchObject({ state: 'scheduled', why: null });
  });

  it('is taken by a process that begins to run the schedule', async () => {
    const workspace = await temporaryWorkspace();
    const { scheduler } = schedulerIn(workspace);
    await scheduler.add(daily);
    await scheduler.run('daily');
    const { scheduler: runner } = schedulerIn(workspace, [{ text: 'All is well.' }]);
    await runner.start();
    expect((await reached(scheduler, 'scheduled')).last).toMatchObject({ status: 'ok', error: null });
    expect(await scheduler.history('daily')).toMatchObject([{ n: 1, kind: 'manual', status: 'ok' }]);
  });
});

describe('a job at work', () => {
  it('waits when its run waits for a person, and ends with it', async () => {
    const pay = tool('pay', { sideEffect: 'unsafe' });
    const { detent, scheduler } = schedulerIn(
      await temporaryWorkspace(),
      [{ toolCalls: [{ name: 'pay', arguments: {} }] }, { text: 'Paid.' }],
      { tools: { define: [pay] } },
    );
    await scheduler.start();
    await scheduler.add(daily);
    await scheduler.run('daily');
    const { current } = await reached(scheduler, 'waiting');
    const runId = current?.runId ?? '';
    expect(await scheduler.history('daily')).toMatchObject([
      { status: 'running', runId, runStatus: 'waiting' },
    ]);
    const { pending } = await detent.runs.show(runId);
    await detent.runs.confirm(runId, pending[0]?.callId ?? '', { verdict: 'approve' });
    expect((await reached(scheduler, 'scheduled')).last).toMatchObject({ status: 'ok' });
  });

  it('never reads as done when its run failed, and pauses after so many failures', async () => {
    const broken = { error: { code: 'auth', message: 'no such key', retryable: false } } as ScriptLine;
    const { scheduler } = schedulerIn(await temporaryWorkspace(), [broken, broken]);
    await scheduler.start();
    await scheduler.add({ ...daily, pauseAfter: 2 });
    await scheduler.run('daily');
    await scheduler.run('daily');
    const job = await reached(scheduler, 'paused');
    expect(job).toMatchObject({ why: 'its last 2 runs failed', failures: 2, last: { status: 'failed' } });
    expect((await scheduler.history('daily')).map(({ status }) => status)).toEqual(['failed', 'failed']);
    expect(await scheduler.resume('daily')).toMatchObject({ failures: 0, why: null });
  });

  it('says how many deliveries of its last run were given up, until they are tried again', async () => {
    const workspace = await temporaryWorkspace();
    const { scheduler } = schedulerIn(workspace, [{ text: 'All is well.' }]);
    await scheduler.start();
    await scheduler.add({ ...daily, delivery: ['console', 'https://127.0.0.1:9/hook'] });
    await scheduler.run('daily');
    while ((await scheduler.get('daily')).last === null)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await reached(scheduler, 'scheduled')).toMatchObject({ last: { n: 1, status: 'ok', lost: 1 } });
    await scheduler.redeliver('daily', 1);
    while ((await scheduler.get('daily')).last?.lost === 0)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await scheduler.get('daily')).last).toMatchObject({ lost: 1 });
  });
});
