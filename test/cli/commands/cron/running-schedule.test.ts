import { expect, it, onTestFinished } from 'vitest';
import { runningSchedule } from '../../../../src/cli/commands/cron/running-schedule.ts';
import type { Io } from '../../../../src/cli/terminal/io.ts';
import type { ScriptLine } from '../../../../src/testing/index.ts';
import { scripted, tool } from '../../../support/detent.ts';

/** A schedule in this process with one job at work, and what it said to people. */
async function atWork(script: readonly ScriptLine[], status: string, run: () => Promise<string>) {
  const said: string[] = [];
  const io = { say: (text: string) => void said.push(text), out: () => {}, json: () => {} } as unknown as Io;
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
  expect(said).toEqual([expect.stringContaining('at work: daily')]);
});
