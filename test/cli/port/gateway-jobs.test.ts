import { describe, expect, it, onTestFinished } from 'vitest';
import { createScheduler } from '../../../src/schedule/scheduler.ts';
import { serve } from '../../gateway/support.ts';
import { atRest, hour, scheduled } from '../../schedule/support.ts';
import { newWorkspace } from '../../support/cli.ts';
import { alike, servedWorkspace } from './support.ts';

const job = ['--cron', '0 9 * * 1-5', '--tz', 'Europe/Berlin', '--prompt', 'What is 6 * 7?'];

/** A served workspace with the job "daily", whose schedule the gateway's process runs. */
async function servedJobs({ isRunning = false } = {}) {
  const served = await servedWorkspace({
    'job.json': JSON.stringify({ jobId: 'filed', every: '1h', prompt: 'Sum up.' }),
    'odd.json': JSON.stringify({ jobId: 'odd', every: '1h', prompt: 'Sum up.', colour: 'red' }),
  });
  await served.workspace.detent(['cron', 'add', 'daily', ...job]);
  const scheduler = createScheduler(served.detent, { print: () => {} });
  onTestFinished(() => scheduler.close());
  if (isRunning) await scheduler.start();
  return { ...served, scheduler };
}

describe('a cron command with --server', () => {
  it('prints what it prints on the database itself', async () => {
    const { workspace, remote, scheduler } = await servedJobs({ isRunning: true });
    const failing = ['cron', 'add', 'filing', ...job, '--deliver', 'file:results.txt', '--keep', '250'];
    expect(await workspace.detent(failing)).toMatchObject({ code: 0 });
    for (let i = 0; i < 3; i += 1) await workspace.detent(['cron', 'run', 'daily']);
    await workspace.detent(['cron', 'run', 'filing']);
    await workspace.detent(['cron', 'pause', 'filing', '--reason', 'holiday']);
    await scheduler.close();
    for (const args of [
      ['list'],
      ['show', 'daily'],
      ['show', 'filing'],
      ['show', 'none'],
      ['show', 'x'.repeat(300)],
      ['history', 'daily'],
      ['history', 'daily', '--limit', '2'],
      ['history', 'daily', '--limit', '100000', '--below', '3'],
      ['history', 'filing'],
      ['history', 'none'],
    ])
      for (const form of [[], ['--json']]) {
        const words = ['cron', ...args, ...form];
        const [here, there] = [await workspace.detent(words), await remote(words)];
        expect([words, { ...there, stdout: alike(there.stdout), stderr: alike(there.stderr) }]).toEqual([
          words,
          { ...here, stdout: alike(here.stdout), stderr: alike(here.stderr) },
        ]);
      }
  });

  it.each([
    ['add', 'other', ...job],
    ['add', 'other', ...job, '--disabled', '--deliver', 'file:a.txt', '--max-steps', '3'],
    ['add', '--file', 'job.json', '--cron', '@daily', '--tz', 'UTC'],
    ['add', '--file', 'odd.json'],
    ['add', 'daily', ...job],
    ['add', 'x'.repeat(10_000), ...job],
    ['add', 'other', '--cron', '0 9 * *', '--prompt', 'p'],
    ['add', 'other', '--at', '2020-01-01T00:00Z', '--prompt', 'p'],
    ['add', 'other', '--cron', '0 9 * * *', '--tz', 'Mars/Base', '--prompt', 'p'],
    ['add', 'other', ...job, '--deliver', 'fax:1'],
    ['add', 'other', ...job, '--agent', 'nobody'],
    ['update', 'daily', '--cron', '0 8 * * *'],
    ['update', 'daily', '--deliver', 'console', '--window', 'any', '--pause-after', 'never'],
    ['update', 'daily', '--keep', '9999999'],
    ['update', 'none', '--keep', '9999999'],
    ['update', 'daily'],
    ['pause', 'daily', '--reason', 'holiday'],
    ['pause', 'daily', '--reason', 'x'.repeat(1_001)],
    ['resume', 'daily'],
    ['disable', 'daily'],
    ['enable', 'daily'],
    ['pause', 'none'],
    ['remove', 'daily'],
    ['remove', 'daily', '--yes'],
    ['remove', 'none', '--yes'],
    ['redeliver', 'daily', '1'],
    ['redeliver', 'daily', '0'],
  ])('does what it does on the database itself: cron %s %s', async (...args) => {
    const perform = async (isRemote: boolean) => {
      const { workspace, remote } = await servedJobs();
      const cron = async (words: string[]) => {
        const ended = await (isRemote ? remote(['cron', ...words]) : workspace.detent(['cron', ...words]));
        return { ...ended, stdout: alike(ended.stdout), stderr: alike(ended.stderr) };
      };
      const ended = await cron(args);
      return [ended, await cron([...args, '--json']), await cron(['list'])];
    };
    expect(await perform(true)).toEqual(await perform(false));
  });

  it('waits for the end of a run that it asked for', async () => {
    const { remote, workspace } = await servedJobs({ isRunning: true });
    const { code, stdout } = await remote(['cron', 'run', 'daily']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^#1 .+ \(by hand\) {2}ok\n/),
    });
    const detached = await remote(['cron', 'run', 'daily', '--detach', '--json']);
    expect(JSON.parse(detached.stdout)).toMatchObject({ n: 2, kind: 'manual' });
    await workspace.detent(['cron', 'pause', 'daily']);
    expect(await remote(['cron', 'run', 'none'])).toMatchObject({ code: 4 });
  });

  it('names the gateway again in its hints', async () => {
    const { remote, url } = await servedJobs();
    const { stderr } = await remote(['cron', 'pause', 'daily']);
    expect(stderr).toContain(`detent cron resume --server ${url} daily\n`);
    const removed = await remote(['cron', 'remove', 'daily', '--yes']);
    expect(removed.stdout).toContain(`detent runs list --server ${url}\n`);
  });

  it.each([
    ['--tenant', '--server and --tenant exclude each other'],
    ['--user', '--server and --user exclude each other'],
    ['--db', '--server and --db exclude each other'],
  ])('takes no %s: the token says whose jobs they are', async (flag, words) => {
    const { remote } = await servedJobs();
    for (const verb of ['list', 'show', 'remove']) {
      const id = verb === 'list' ? [] : ['daily'];
      const ended = await remote(['cron', verb, ...id, flag, '2']);
      expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(words) });
    }
  });

  it('may do what its token allows', async () => {
    const { workspace, url, token } = await servedJobs();
    const cron = async (scopes: ('read' | 'write')[], ...words: string[]) =>
      workspace.detent(['cron', ...words, '--server', url, '--token-env', 'T'], {
        env: { T: await token({ scopes }) },
      });
    expect(await cron(['read'], 'list')).toMatchObject({ code: 0 });
    expect(await cron(['read'], 'pause', 'daily')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('scope write'),
    });
    expect(await cron(['read', 'write'], 'update', 'daily', '--deliver', 'file:a.txt')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('scope admin'),
    });
  });

  it('has no next and no serve', async () => {
    const { remote } = await servedJobs();
    for (const words of [['serve'], ['next', '@daily']])
      expect(await remote(['cron', ...words])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`"detent cron ${words[0]}" works only in the folder`),
      });
  });
});

describe('a long history over a gateway', () => {
  it('comes whole, however many slots one request may show', async () => {
    const { detent, scheduler, clock } = scheduled();
    await scheduler.add({ jobId: 'often', every: '1m', prompt: 'Go.', keep: 1_000 });
    await clock.advance(8 * hour);
    await scheduler.start();
    while ((await scheduler.list()).some(({ last }) => last === null)) await clock.advance(0);
    await atRest({ clock, scheduler });
    const { url, token } = await serve(detent, { scheduler });
    const workspace = await newWorkspace();
    const env = { DETENT_TOKEN: await token() };
    const history = async (page: { limit?: number; below?: number }) => {
      const flags = Object.entries(page).flatMap(([name, value]) => [`--${name}`, String(value)]);
      const command = ['cron', 'history', 'often', '--json', '--server', url, ...flags];
      return JSON.parse((await workspace.detent(command, { env })).stdout);
    };
    for (const page of [{ limit: 200 }, { limit: 450 }, { limit: 1_000 }, { limit: 300, below: 250 }, {}])
      expect(await history(page)).toEqual(await scheduler.history('often', page));
    expect(await history({ limit: 1_000 })).toHaveLength(480);
  });
});
