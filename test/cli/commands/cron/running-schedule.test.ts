import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runningSchedule } from '../../../../src/cli/commands/cron/running-schedule.ts';
import type { Text } from '../../../../src/cli/terminal/styled.ts';
import { isObject } from '../../../../src/protocol/json.ts';
import { fakeClock, type ScriptLine } from '../../../../src/testing/index.ts';
import { scripted, tool } from '../../../support/detent.ts';

const silent = { say() {}, out() {}, json() {} };

/** A schedule in this process with one job at work, and what it said to people. */
async function atWork(script: readonly ScriptLine[], status: string, run: () => Promise<string>) {
  const said: string[] = [];
  const io = { ...silent, say: (text: Text) => void said.push(String(text)) };
  const pay = tool('pay', { sideEffect: 'unsafe' });
  const work = tool('work', { run });
  const { detent } = await scripted(script, { tools: { define: [pay, work] } });
  const { scheduler, stop } = runningSchedule(detent, { jobs: [] }, false, io);
  onTestFinished(() => scheduler.close());
  await scheduler.start();
  await scheduler.add({ jobId: 'daily', every: '1h', prompt: 'Go.' });
  await scheduler.run('daily');
  while ((await scheduler.get('daily')).current?.status !== status)
    await new Promise((resolve) => setTimeout(resolve, 5));
  return { said, stop };
}

it('a schedule that stops does not wait for a run that waits for a person', async () => {
  const script = [{ toolCalls: [{ name: 'pay', arguments: {} }] }];
  const { said, stop } = await atWork(script, 'waiting', async () => 'ok');
  await stop();
  expect(said).toEqual([]);
});

it('a schedule that stops lets a run at work finish', async () => {
  const over = Promise.withResolvers<string>();
  const script = [{ toolCalls: [{ name: 'work', arguments: {} }] }, { text: 'Done.' }];
  const { said, stop } = await atWork(script, 'running', () => over.promise);
  const stopped = stop();
  setTimeout(() => over.resolve('ok'), 50);
  await stopped;
  expect(said).toEqual([expect.stringContaining('still running: daily')]);
});

it('a schedule says that failures paused a job, also one without targets, and how it goes on', async () => {
  const lines: string[] = [];
  const io = { ...silent, out: (line: Text) => void lines.push(String(line)) };
  const { detent } = await scripted([{ error: { code: 'auth', message: 'no key', retryable: false } }]);
  const { scheduler, print } = runningSchedule(detent, { jobs: [] }, false, io);
  onTestFinished(() => scheduler.close());
  await scheduler.start();
  print();
  await scheduler.add({ jobId: 'daily', every: '1h', prompt: 'Go.', pauseAfter: 1 });
  await scheduler.run('daily');
  while ((await scheduler.get('daily')).state !== 'paused')
    await new Promise((resolve) => setTimeout(resolve, 5));
  expect(lines.at(-1)).toContain(
    'daily #1: paused after 1 failure in a row; resume it with: detent cron resume daily\n',
  );
});

it('a schedule has one line for all slots of a downtime that do not run', async () => {
  const lines: string[] = [];
  const io = { ...silent, out: (line: Text) => void lines.push(String(line)) };
  const clock = fakeClock();
  const { detent } = await scripted([], { clock });
  const { scheduler, print } = runningSchedule(detent, { jobs: [] }, false, io);
  onTestFinished(() => scheduler.close());
  await scheduler.add({ jobId: 'daily', every: '1m', prompt: 'Go.', misfire: 'skip' });
  await clock.advance(34 * 60_000 + 30_000);
  await scheduler.start();
  print();
  while (lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(lines).toEqual([
    expect.stringMatching(/daily #1 to #34: 34 slots, from .* to .*, did not run: no process ran the sched/),
  ]);
});

it('a schedule says which file got a result, and when what did not arrive is tried again', async () => {
  const lines: string[] = [];
  const io = { ...silent, out: (line: Text) => void lines.push(String(line)) };
  const { detent, workspace } = await scripted([{ text: 'Well.' }]);
  const { scheduler, print } = runningSchedule(detent, { jobs: [] }, false, io);
  onTestFinished(() => scheduler.close());
  await scheduler.start();
  print();
  const delivery = ['file:rep/{{slot}}.md', 'file:taken/x.md'];
  await scheduler.add({ jobId: 'daily', every: '1h', prompt: 'Go.', delivery });
  // A file where its folder should be.
  await writeFile(join(workspace, 'taken'), '');
  await scheduler.run('daily');
  while (lines.filter((line) => line.includes('delivered to')).length < 2)
    await new Promise((resolve) => setTimeout(resolve, 5));
  const said = lines.join('');
  expect(said).toMatch(/daily #1: delivered to file:rep\/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?Z\.md\n/);
  expect(said).toMatch(
    /not delivered to file:taken\/x\.md: .*; (?:attempt 2 comes in 5 s|it is not tried again; .*)\n/,
  );
});

it('a schedule tells programs which slot a result on the console is of', async () => {
  const told: unknown[] = [];
  const io = { ...silent, json: (value: unknown) => void told.push(value) };
  const { detent } = await scripted([{ text: 'Well.' }]);
  const { scheduler, print } = runningSchedule(detent, { jobs: [] }, true, io);
  onTestFinished(() => scheduler.close());
  await scheduler.start();
  print();
  await scheduler.add({ jobId: 'daily', every: '1h', prompt: 'Go.', delivery: 'console' });
  await scheduler.run('daily');
  const console = () => told.find((value) => isObject(value) && value.type === 'console');
  while (!console()) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(console()).toMatchObject({ at: expect.any(Number), tenant: 1, jobId: 'daily', n: 1 });
});
