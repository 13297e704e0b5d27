import { expect, it, onTestFinished, vi } from 'vitest';
import type { Detent } from '../../src/index.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { createScheduler } from '../../src/schedule/index.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { modelOptions } from '../support/detent.ts';
import { administer, newDatabase } from '../support/postgres.ts';

const minutes = 60_000;
const answers = Array.from({ length: 20 }, () => ({ text: 'Done.' }));

/** A machine whose clock is set wrong. */
async function machine(url: string, wrongByMs: number): Promise<Detent> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + wrongByMs });
  const store = await openPostgres({ url });
  const detent = createDetent(modelOptions(scriptedModel(answers), { store }));
  onTestFinished(async () => {
    await detent.close();
    await store.close();
    vi.useRealTimers();
  });
  return detent;
}

const fires = async (url: string) =>
  (await administer(url, 'select job_id as job, status from job_fires order by job_id'))[0]?.rows;

it.each([
  ['5 minutes ahead', 5 * minutes],
  ['5 minutes behind', -5 * minutes],
])('a machine whose clock is %s fires slots and timers as one with a right clock', async (_, wrongByMs) => {
  const url = await newDatabase();
  const right = Date.now();
  const detent = await machine(url, wrongByMs);
  const scheduler = createScheduler(detent, { timeZone: 'UTC', print: () => {} });
  onTestFinished(() => scheduler.close());
  const at = (ms: number) => new Date(right + ms).toISOString();
  await scheduler.add({ jobId: 'later', at: at(2 * minutes), prompt: 'Go.' });
  await scheduler.add({ jobId: 'soon', cron: '* * * * * ?', dialect: 'quartz', prompt: 'Go.' });
  await scheduler.start();
  await expect
    .poll(async () => (await fires(url))?.length, { interval: 20, timeout: 20_000 })
    .toBeGreaterThan(0);
  expect(new Set((await fires(url))?.map(({ job }) => job))).toEqual(new Set(['soon']));
  // A slot is on record before its run is. What is on record has the time of the server.
  await expect
    .poll(async () => Math.abs(((await detent.runs.list())[0]?.createdAt ?? 0) - right))
    .toBeLessThan(minutes);
  const [timers] = await administer(url, 'select due_at from timers order by due_at');
  expect(timers?.rows.every(({ due_at }) => Number(due_at) > right)).toBe(true);
});
