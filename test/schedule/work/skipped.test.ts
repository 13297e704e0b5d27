import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createScheduler, type Happening, type JobInput } from '../../../src/schedule/index.ts';
import { fakeClock } from '../../../src/testing/index.ts';
import { withModel } from '../../support/detent.ts';

const minute = 60_000;

/** A job of each minute whose first run does not end, after three of its times. */
async function threeMinutes(job: Partial<JobInput>) {
  const clock = fakeClock();
  const detent = withModel(
    {
      generate: (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
        ),
    },
    { clock },
  );
  const told: Happening[] = [];
  const scheduler = createScheduler(detent, {
    timeZone: 'UTC',
    print: () => {},
    tell: (happening) => told.push(happening),
  });
  onTestFinished(() => scheduler.close());
  await scheduler.add({ jobId: 'daily', every: '1m', prompt: 'Go.', ...job });
  await scheduler.start();
  for (let n = 1; n <= 3; n++) {
    await clock.advance(minute);
    while ((await scheduler.history('daily'))[0]?.n !== n) {
      await clock.advance(0);
      await pause(1);
    }
  }
  const skipped = () => told.filter(({ type }) => type === 'skipped');
  return { scheduler, told, skipped };
}

it('slots that do not run because the run before is at work are told', async () => {
  const { skipped, scheduler } = await threeMinutes({ overlap: 'skip' });
  expect(skipped()).toMatchObject([
    { jobId: 'daily', n: 2, reason: 'overlap' },
    { jobId: 'daily', n: 3, reason: 'overlap' },
  ]);
  await scheduler.remove('daily');
});

it('slots that lose their place to a later one are told, with their times', async () => {
  const { skipped, scheduler } = await threeMinutes({ overlap: 'queue' });
  await scheduler.disable('daily');
  const [third, second] = await scheduler.history('daily');
  expect(skipped()).toMatchObject([
    { n: 2, slot: second?.slot, reason: 'disabled' },
    { n: 3, slot: third?.slot, reason: 'disabled' },
  ]);
  await scheduler.remove('daily');
});
