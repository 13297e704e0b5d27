import { openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Detent } from '../../../../src/index.ts';
import { createScheduler } from '../../../../src/schedule/index.ts';
import { fakeClock, scriptedModel } from '../../../../src/testing/index.ts';
import { answering, at, newWorkspace } from '../../../support/cli.ts';
import { itDeep } from '../../../support/deep.ts';

const demo = { 'detent.config.json': JSON.stringify({ model: 'demo/demo' }) };
const daily = [
  'cron',
  'add',
  'daily',
  '--cron',
  '0 9 * * 1-5',
  '--tz',
  'Europe/Berlin',
  '--prompt',
  'Sum up.',
];

interface Job {
  jobId: string;
  state: string;
  words: string;
  next: number[];
  schedule: object;
}

describe('detent cron', () => {
  it('adds a job, and shows it with its next times by its own clock', async () => {
    const workspace = await newWorkspace(demo);
    expect(await workspace.detent(daily)).toMatchObject({
      code: 0,
      stdout: 'daily: added: at 09:00, Monday to Friday (Europe/Berlin)\n',
      stderr: expect.stringMatching(/^next: \w{3} [-\d]+ 09:00 Europe\/Berlin, in /),
    });
    const { stdout } = await workspace.detent(['cron', 'list']);
    expect(stdout).toMatch(/^daily\n +at 09:00, Monday to Friday \(Europe\/Berlin\)\n +next {3}\w{3} /);
    expect(stdout).toMatch(
      /state {2}scheduled\n {9}no process runs the schedule; .*\n {2}last {3}has not run yet\n/,
    );
  });

  it('shows how often a delivery is tried', async () => {
    const workspace = await newWorkspace(demo);
    await workspace.detent([...daily, '--deliver', 'console']);
    const { stdout } = await workspace.detent(['cron', 'show', 'daily']);
    expect(stdout).toMatch(/delivers to +console\n +attempts +up to 8 at each delivery\n/);
  });

  it('takes a workflow and its input in place of a prompt, and says what is wrong with them', async () => {
    const workspace = await newWorkspace(demo);
    const add = (...flags: string[]) =>
      workspace.detent(['cron', 'add', 'digest', '--every', '1h', ...flags]);
    expect(await add('--workflow', 'digest', '--input', '{"since":')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--input is not JSON'),
    });
    expect((await add('--workflow', 'digest', '--prompt', 'Sum up.')).stderr).toContain('not both');
    expect((await add('--workflow', 'digest')).stderr).toContain('digest');
    expect((await add('--input', '{}', '--prompt', 'Sum up.')).stderr).toContain('names none');
    expect(await workspace.json<Job[]>(['cron', 'list'])).toMatchObject({ view: [] });
  });

  itDeep('gives each run a session of its own unless one is named, and a model', async () => {
    const workspace = await newWorkspace(demo);
    await workspace.detent([...daily, '--model', 'demo/demo']);
    const shown = async () => (await workspace.detent(['cron', 'show', 'daily'])).stdout;
    expect(await shown()).toMatch(/model +demo\/demo\n.*session +one for each run\n/s);
    await workspace.detent(['cron', 'update', 'daily', '--session', 'notes']);
    expect(await shown()).toMatch(/session +notes\n/);
    await workspace.detent(['cron', 'update', 'daily', '--session', 'own']);
    expect(await shown()).toContain('one for each run');
    expect(await workspace.detent([...daily.with(2, 'other'), '--model', 'nowhere/x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nowhere'),
    });
  });

  it('names a script only where the schedule has it, too, and the file is one', async () => {
    const workspace = await newWorkspace({ ...demo, 'answers.json': '[{ "text": "Hi." }]' });
    const add = (script: string, env: Record<string, string> = {}) =>
      workspace.detent([...daily, '--model', `script/${script}`], { env });
    expect(await add('answers.json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--model script/FILE, and name no model here'),
    });
    expect((await add('other.json', { DETENT_MODEL: 'script/other.json' })).stderr).toContain('there is no');
    expect(await add('answers.json', { DETENT_MODEL: 'script/answers.json' })).toMatchObject({ code: 0 });
  });

  it('lists page by page, and says when there are more', async () => {
    const workspace = await newWorkspace(demo);
    for (const id of ['a', 'b', 'c'])
      await workspace.detent(['cron', 'add', id, '--every', '1h', '--prompt', 'p']);
    const first = await workspace.json<Job[]>(['cron', 'list', '--limit', '2']);
    expect(first.view.map(({ jobId }) => jobId)).toEqual(['a', 'b']);
    expect((await workspace.detent(['cron', 'list', '--limit', '2'])).stderr).toContain(
      'there are more jobs; list them with: detent cron list --after b',
    );
    const rest = await workspace.detent(['cron', 'list', '--limit', '1', '--after', 'b']);
    expect(rest).toMatchObject({ stdout: expect.stringMatching(/^c\n/), stderr: '' });
    expect((await workspace.detent(['cron', 'list', '--after', 'c'])).stderr).toContain(
      'there are no jobs after "c"',
    );
  });

  it('takes the job object of a file as it is', async () => {
    const job = { jobId: 'daily-summary', cron: '0 0 9 * * ?', prompt: 'Sum up.', delivery: 'console' };
    const workspace = await newWorkspace({ ...demo, 'job.json': JSON.stringify(job) });
    const { view } = await workspace.json<Job>(['cron', 'add', '--file', 'job.json']);
    expect(view).toMatchObject({ jobId: 'daily-summary', schedule: { dialect: 'quartz' } });
  });

  it('changes, pauses, resumes, disables, enables and removes it', async () => {
    const workspace = await newWorkspace(demo);
    await workspace.detent(daily);
    const state = async (args: string[]) => (await workspace.json<Job>(['cron', ...args])).view.state;
    const { view } = await workspace.json<Job>(['cron', 'update', 'daily', '--every', '15m']);
    expect(view.words).toBe('every 15 minutes');
    expect(await state(['pause', 'daily', '--reason', 'holiday'])).toBe('paused');
    expect((await workspace.detent(['cron', 'list'])).stdout).toContain(
      'paused: holiday\n         resume it with: detent cron resume daily\n',
    );
    expect(await state(['resume', 'daily'])).toBe('scheduled');
    expect(await state(['disable', 'daily'])).toBe('disabled');
    expect(await state(['enable', 'daily'])).toBe('scheduled');
    expect(await state(['update', 'daily', '--every', '30m', '--disabled'])).toBe('disabled');
    expect(await workspace.detent(['cron', 'remove', 'daily'])).toMatchObject({ code: 2 });
    expect(await workspace.detent(['cron', 'remove', 'daily', '--yes'])).toMatchObject({ code: 0 });
    expect(await workspace.detent(['cron', 'show', 'daily'])).toMatchObject({ code: 4 });
  });

  it('refuses a name that another job has', async () => {
    const workspace = await newWorkspace(demo);
    await workspace.detent(daily);
    expect(await workspace.detent(daily)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('detent cron update daily'),
    });
  });
});

describe('detent cron run --detach', () => {
  it('says that nobody runs the schedule, and that the slot is queued', async () => {
    const workspace = await newWorkspace(demo);
    await workspace.detent(daily);
    expect(await workspace.detent(['cron', 'run', 'daily', '--detach'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('waits for its turn'),
      stderr: expect.stringContaining('no process runs the schedule: jobs run only while'),
    });
    const { view } = await workspace.json<object[]>(['cron', 'history', 'daily']);
    expect(view).toMatchObject([{ status: 'queued', runId: null }]);
  });
});

describe('detent cron add', () => {
  it('names a variable for the secret that is not set here', async () => {
    const workspace = await newWorkspace(demo);
    const add = (env: Record<string, string>) =>
      workspace.detent(
        [...daily, '--deliver', 'https://hooks.example/x', '--secret-env', 'HOOK_KEY', '--disabled'],
        { env },
      );
    expect((await add({})).stderr).toContain(
      'HOOK_KEY is not set here; the process that runs the schedule needs it',
    );
    await workspace.detent(['cron', 'remove', 'daily', '--yes']);
    expect(await add({ HOOK_KEY: 'x' })).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining('HOOK'),
    });
  });

  it('leads to the configuration that declares a job of this name', async () => {
    const jobs = [{ jobId: 'daily', every: '1h', prompt: 'Go.' }];
    const workspace = await newWorkspace({
      'detent.config.json': JSON.stringify({ model: 'demo/demo', jobs }),
    });
    expect(await workspace.detent(daily)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is declared in the configuration: change or remove it there'),
    });
  });
});

describe('detent cron serve', () => {
  itDeep('goes on where its lines cannot be written', async () => {
    const provider = await answering({ text: 'All is well.' }, { text: 'All is well.' });
    const workspace = await newWorkspace();
    await workspace.detent([...daily, '--deliver', 'console']);
    const serving = workspace.start(['cron', 'serve', ...at(provider), '--model', 'mock/model'], {
      ownProcess: true,
      stdout: openSync('/dev/full', 'w'),
    });
    await serving.saw('stderr', /runs the schedule/);
    for (const _ of [1, 2])
      expect(await workspace.detent(['cron', 'run', 'daily'])).toMatchObject({ code: 0 });
    serving.kill('SIGTERM');
    expect(await serving.ended).toMatchObject({ code: 0 });
  });

  it('runs what "cron run" asks for, and prints what happens', async () => {
    const provider = await answering({ text: 'All is well.' });
    const workspace = await newWorkspace();
    await workspace.detent([...daily, '--deliver', 'console']);
    const serving = workspace.start(['cron', 'serve', ...at(provider), '--model', 'mock/model']);
    await serving.saw('stderr', /runs the schedule of .*: 1 job;/);
    expect(await workspace.detent(['cron', 'run', 'daily'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^#1 .* \(by hand\) {2}ok\n {4}run run_\w+, took [\d.]+ m?s\n/),
    });
    const stdout = await serving.saw('stdout', /delivered to console/);
    expect(stdout).toMatch(/daily #1: began: run_\w+\n.*daily #1: ok\njob daily, .*: ok\nAll is well\.\n/s);
    serving.kill('SIGTERM');
    expect(await serving.ended).toMatchObject({ code: 0 });
    expect(await workspace.detent(['sessions', 'list'])).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('detent sessions list --slots'),
    });
    expect((await workspace.detent(['sessions', 'list', '--slots'])).stdout).toMatch(/^cron:daily:run_/);
  });

  itDeep('lets a run at work end, and its result be delivered, before it stops', async () => {
    const provider = await answering({ text: 'All is well.', delayMs: 1_500 });
    const workspace = await newWorkspace();
    await workspace.detent([...daily, '--deliver', 'console']);
    const serving = workspace.start(['cron', 'serve', '--json', ...at(provider), '--model', 'mock/model']);
    await serving.saw('stdout', /"started"/);
    await workspace.detent(['cron', 'run', 'daily', '--detach']);
    await serving.saw('stdout', /"began"/);
    serving.kill('SIGTERM');
    const { code, stdout, stderr } = await serving.ended;
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('still running: daily'),
    });
    const types = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type);
    expect(types).toEqual(['started', 'began', 'ended', 'console', 'delivered']);
  });
});

describe('detent cron history', () => {
  it('names the slot at work that newer ones hide, whose job has run already', async () => {
    const workspace = await newWorkspace(demo);
    const chat = scriptedModel([
      { toolCalls: [{ name: 'write_file', arguments: { path: 'a', content: 'a' } }] },
    ]);
    const work = async (detent: Detent) => {
      const scheduler = createScheduler(detent);
      await scheduler.start();
      await scheduler.add({ jobId: 'daily', every: '1h', prompt: 'Go.', model: 'test/m' });
      for (const _ of [1, 2, 3]) await scheduler.run('daily');
      while ((await scheduler.get('daily')).state !== 'waiting')
        await new Promise((resolve) => setTimeout(resolve, 5));
      await scheduler.close();
    };
    await workspace.withLibrary(work, { models: { test: chat } });
    expect(await workspace.detent(['cron', 'history', 'daily', '--limit', '2'])).toMatchObject({
      stdout: expect.stringMatching(/^#3 .*\n#2 .*\n$/),
      stderr: 'older, and in progress: #1; see it with: detent cron history daily --below 2\n',
    });
    expect((await workspace.detent(['cron', 'list'])).stdout).toContain(
      'last   its first run has not ended\n',
    );
  });
});

describe('detent cron redeliver', () => {
  it('tries again what was given up', async () => {
    const provider = await answering({ text: 'All is well.' });
    const webhooks = { allowHosts: ['127.0.0.1'] };
    const workspace = await newWorkspace({ 'detent.config.json': JSON.stringify({ webhooks }) });
    const targets = ['--deliver', 'http://127.0.0.1:9/x', '--deliver', 'file:daily.md', '--attempts', '1'];
    await workspace.detent([...daily, ...targets]);
    const serving = workspace.start(['cron', 'serve', ...at(provider), '--model', 'mock/model']);
    await serving.saw('stderr', /runs the schedule of/);
    await workspace.detent(['cron', 'run', 'daily']);
    await serving.saw('stdout', /daily #1: delivered to file:daily\.md/);
    await serving.saw('stdout', /not delivered to http:\/\/127\.0\.0\.1:9\/x: .*could not be reached/);
    expect(await workspace.detent(['cron', 'redeliver', 'daily', '#1'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^one delivery is tried again/),
    });
    await serving.saw('stdout', /not delivered.*not delivered/s);
    serving.kill('SIGTERM');
    await serving.ended;
    expect(await workspace.detent(['cron', 'redeliver', 'daily', '7'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('has no slot 7 on record'),
    });
    expect(await workspace.detent(['cron', 'redeliver', 'daily', 'last'])).toMatchObject({ code: 2 });
  });
});

describe('jobs of the configuration', () => {
  const configOf = (...jobs: object[]) =>
    ['detent.config.json', JSON.stringify({ model: 'demo/demo', jobs })] as const;
  const declaring = (...jobs: object[]) => Object.fromEntries([configOf(...jobs)]);
  const morning = { jobId: 'morning', cron: '0 9 * * *', timeZone: 'Asia/Tokyo', prompt: 'Good morning.' };

  it('are there, and are changed in the file alone', async () => {
    const workspace = await newWorkspace(declaring(morning));
    const { view } = await workspace.json<(Job & { source: string })[]>(['cron', 'list']);
    expect(view).toMatchObject([{ jobId: 'morning', source: 'config', state: 'scheduled' }]);
    for (const args of [
      ['update', 'morning', '--every', '1h'],
      ['remove', 'morning', '--yes'],
    ])
      expect(await workspace.detent(['cron', ...args])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('is declared in the configuration'),
      });
    await workspace.detent(['cron', 'pause', 'morning']);
    await workspace.write(...configOf({ ...morning, cron: '0 8 * * *' }));
    const changed = await workspace.json<Job[]>(['cron', 'list']);
    expect(changed.view).toMatchObject([{ words: 'at 08:00, every day (Asia/Tokyo)', state: 'paused' }]);
  });

  it('take the place of no job that a person made', async () => {
    const workspace = await newWorkspace(demo);
    await workspace.detent(['cron', 'add', 'morning', '--every', '1h', '--prompt', 'Mine.']);
    await workspace.write(...configOf(morning));
    const { view } = await workspace.json<(Job & { prompt: string })[]>(['cron', 'list']);
    expect(view).toMatchObject([{ prompt: 'Mine.' }]);
    expect(await workspace.detent(['cron', 'serve'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('detent cron remove morning'),
    });
  });

  it('go with their entry when the schedule is run', async () => {
    const workspace = await newWorkspace(declaring(morning));
    await workspace.detent(['cron', 'list']);
    await workspace.write(...configOf());
    const serving = workspace.start(['cron', 'serve']);
    await serving.saw('stderr', /: 0 jobs;/);
    serving.kill('SIGTERM');
    await serving.ended;
    expect(await workspace.json(['cron', 'list'])).toMatchObject({ view: [] });
  });
});

describe('the run of a job itself', () => {
  it('has events and a replay, and is refused where a run of an agent is meant', async () => {
    const workspace = await newWorkspace(demo);
    await workspace.detent(daily);
    const { view } = await workspace.json<{ jobRunId: string }>(['cron', 'show', 'daily']);
    const { jobRunId } = view;
    expect(await workspace.detent(['runs', 'events', jobRunId])).toMatchObject({ code: 0 });
    expect(await workspace.detent(['runs', 'replay', jobRunId])).toMatchObject({ code: 0 });
    for (const args of [
      ['show', jobRunId],
      ['why', jobRunId],
      ['resume', jobRunId],
      ['cancel', jobRunId],
      ['follow', jobRunId],
      ['fork', jobRunId, '--at', '1'],
      ['diff', jobRunId, jobRunId],
    ])
      expect(await workspace.detent(['runs', ...args]), args[0]).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('detent cron list'),
      });
  });

  it('is no interrupted run for "detent doctor", which says what jobs there are', async () => {
    const workspace = await newWorkspace(demo);
    await workspace.detent(daily);
    const { view } = await workspace.json<{ checks: { id: string; status: string; detail: string }[] }>([
      ...['doctor', '--offline'],
    ]);
    const checks = new Map(view.checks.map(({ id, ...check }) => [id, check]));
    expect(checks.get('jobs')).toMatchObject({ status: 'ok', detail: '1' });
    expect(checks.get('runs.interrupted')).toMatchObject({ status: 'ok' });
  });

  it('are overdue or paused for "detent doctor", which names both', async () => {
    const workspace = await newWorkspace(demo);
    const chat = scriptedModel([{ error: { code: 'auth', message: 'no key', retryable: false } }]);
    const work = async (detent: Detent) => {
      const scheduler = createScheduler(detent);
      await scheduler.start();
      const job = { every: '1h', prompt: 'Go.', model: 'test/m' };
      for (const jobId of ['late', 'later']) await scheduler.add({ ...job, jobId });
      await scheduler.add({ ...job, jobId: 'broken', pauseAfter: 1 });
      await scheduler.run('broken');
      while ((await scheduler.get('broken')).state !== 'paused')
        await new Promise((resolve) => setTimeout(resolve, 5));
      // One that failed before, and that a person paused, is not paused after failures.
      await scheduler.add({ ...job, jobId: 'resting' });
      await scheduler.run('resting');
      while ((await scheduler.get('resting')).failures === 0)
        await new Promise((resolve) => setTimeout(resolve, 5));
      await scheduler.pause('resting');
      await scheduler.close();
      // No process has planned it.
      await createScheduler(detent).add({ ...job, jobId: 'never' });
    };
    await workspace.withLibrary(work, { models: { test: chat }, clock: fakeClock() });
    expect((await workspace.detent(['doctor', '--offline'])).stdout).toContain(
      '"late" and 2 more are overdue: no process runs the schedule; 1 paused after failures\n',
    );
  });
});
