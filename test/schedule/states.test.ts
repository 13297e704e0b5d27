import { describe, expect, it, onTestFinished } from 'vitest';
import { createDetent, type DetentOptions } from '../../src/index.ts';
import { createScheduler, type JobInput, type Scheduler } from '../../src/schedule/index.ts';
import { type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { temporaryWorkspace } from '../support/detent.ts';
import { atRest, minute, scheduled } from './support.ts';

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
  it('has no slots of a new schedule from before the change', async () => {
    const { clock, scheduler } = scheduled();
    await scheduler.add({ ...daily, cron: '0 9 1 1 *' });
    await scheduler.pause('daily');
    await clock.advance(60 * minute);
    await scheduler.resume('daily');
    await scheduler.update('daily', { cron: '* * * * *' });
    await scheduler.start();
    await atRest({ clock, scheduler });
    expect(await scheduler.history('daily')).toEqual([]);
  });

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
      cause: 'by_hand',
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

it('the statechart of a job that waits for its time says so, and not that a process has died', async () => {
  const { detent, scheduler } = schedulerIn(await temporaryWorkspace());
  await scheduler.start();
  const { jobRunId } = await scheduler.add({ ...daily, jobId: 'two words' });
  await reached(scheduler, 'scheduled', 'two words');
  expect(await detent.runs.why(jobRunId)).toMatchObject({
    cause: 'job',
    summary: expect.stringMatching(/^this is the statechart of job "two words", which is (due|scheduled)$/),
    next: [{ command: "detent cron show 'two words'" }],
  });
});

describe('a job without a time to come', () => {
  const soon: JobInput = { jobId: 'soon', at: '2100-01-01T00:00:00Z', prompt: 'Go.' };
  const later = Date.parse('2100-01-02T00:00:00Z');

  async function over() {
    const { clock, scheduler } = scheduled();
    await scheduler.add({ ...soon, at: clock.now() + minute });
    await scheduler.start();
    await clock.advance(2 * minute);
    while ((await scheduler.get('soon')).state !== 'finished') await clock.advance(0);
    return { clock, scheduler };
  }

  it('is finished, and is scheduled again once it is given another time', async () => {
    const { clock, scheduler } = await over();
    expect(await scheduler.get('soon')).toMatchObject({ why: 'it has no other time', next: [] });
    await scheduler.update('soon', { at: clock.now() + minute });
    expect(await scheduler.get('soon')).toMatchObject({ state: 'scheduled', next: { length: 1 } });
  });

  it('cannot be enabled: it would stand still again', async () => {
    const { scheduler } = await over();
    await expect(scheduler.enable('soon')).rejects.toMatchObject({
      code: 'INVALID_SCHEDULE',
      message: expect.stringMatching(
        /has passed; give it another time with: detent cron update soon --at TIME$/,
      ),
    });
    expect((await scheduler.get('soon')).state).toBe('finished');
  });

  it('cannot be enabled either if it was disabled until its time was over', async () => {
    const workspace = await temporaryWorkspace();
    const { scheduler } = schedulerIn(workspace);
    await scheduler.add({ ...soon, enabled: false });
    const { scheduler: then } = schedulerIn(workspace, [], {}, () => later);
    await expect(then.enable('soon')).rejects.toMatchObject({ code: 'INVALID_SCHEDULE' });
    expect(await scheduler.enable('soon')).toMatchObject({ state: 'scheduled' });
    expect(await then.enable('soon')).toMatchObject({ why: null });
  });

  it('is not what a person can make of a job by the reason that they give', async () => {
    const { scheduler } = schedulerIn(await temporaryWorkspace());
    await scheduler.add(daily);
    expect(await scheduler.disable('daily', 'it has no other time')).toMatchObject({ state: 'disabled' });
  });
});

describe('a job that there is not', () => {
  it('is answered with the nearest name among the jobs of that user', async () => {
    const { scheduler } = schedulerIn(await temporaryWorkspace());
    await scheduler.add(daily, { userId: 'ada' });
    await expect(scheduler.get('dialy')).rejects.toMatchObject({
      code: 'NO_JOB',
      message: expect.stringContaining('there is no job "dialy"; did you mean "daily"?'),
    });
    for (const named of ['dialy', 'daily'])
      await expect(scheduler.get(named, { userId: 'bob' })).rejects.toMatchObject({
        message: `there is no job "${named}"; "detent cron list" lists the existing jobs`,
      });
  });
});

describe('a job at work', () => {
  it('never reads as done when its run failed, and pauses after so many failures', async () => {
    const broken = { error: { code: 'auth', message: 'no such key', retryable: false } } as ScriptLine;
    const { scheduler } = schedulerIn(await temporaryWorkspace(), [broken, broken]);
    await scheduler.start();
    await scheduler.add({ ...daily, pauseAfter: 2 });
    await scheduler.run('daily');
    await scheduler.run('daily');
    const job = await reached(scheduler, 'paused');
    expect(job).toMatchObject({
      why: 'its last 2 runs failed',
      cause: 'failures',
      failures: 2,
      last: { status: 'failed' },
    });
    expect((await scheduler.history('daily')).map(({ status }) => status)).toEqual(['failed', 'failed']);
    expect(await scheduler.resume('daily')).toMatchObject({ failures: 0, why: null });
  });

  it('says how many deliveries of its last run were given up, until they are tried again', async () => {
    const workspace = await temporaryWorkspace();
    const webhooks = { allowHosts: ['127.0.0.1'] };
    const { scheduler } = schedulerIn(workspace, [{ text: 'All is well.' }], { webhooks });
    await scheduler.start();
    await scheduler.add({ ...daily, delivery: ['console', 'https://127.0.0.1:9/hook'], attempts: 1 });
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
