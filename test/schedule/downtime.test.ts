import { expect, it } from 'vitest';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import { inSizes } from '../support/size.ts';
import { atRest, hour, minute, scheduled } from './support.ts';

/** The slots of a job, in their order, once nothing is left to do. */
async function slotsAfter({ clock, scheduler }: Pick<ReturnType<typeof scheduled>, 'clock' | 'scheduler'>) {
  while ((await scheduler.list()).some(({ last }) => last === null)) await clock.advance(0);
  await atRest({ clock, scheduler });
  return (await scheduler.history('daily')).reverse();
}

it.each([{}, { grace: '1s' }])(
  'slots that are made up for, each of them, do not overlap one another: %j',
  async (grace) => {
    const { scheduler, clock } = scheduled();
    await scheduler.add({ jobId: 'daily', every: '2s', prompt: 'Go.', misfire: 'all', ...grace });
    await clock.advance(10_500);
    await scheduler.start();
    const slots = await slotsAfter({ clock, scheduler });
    expect(slots.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'ok'));
  },
);

it('a run that was asked for while nothing ran takes no slot its place, and took no longer than it did', async () => {
  const { scheduler, clock } = scheduled();
  await scheduler.add({ jobId: 'daily', every: '2m', prompt: 'Go.' });
  await scheduler.run('daily');
  await clock.advance(2 * minute + 1);
  const started = clock.now();
  await scheduler.start();
  const slots = await slotsAfter({ clock, scheduler });
  expect(slots.map(({ kind, status }) => `${kind} ${status}`)).toEqual(['manual ok', 'slot ok']);
  expect(slots[0]?.begunAt).toBe(started);
});

const days = inSizes({ usual: 10, deep: 60, full: 365 });

it('has each slot of a long downtime on record once, fired or with its reason', async () => {
  const minutes = days * 24 * 60;
  const store = openInMemory();
  const { scheduler, clock } = scheduled({ store });
  await scheduler.add({ jobId: 'daily', every: '1m', prompt: 'Go.', keep: 1_000_000 });
  await scheduler.add({ jobId: 'few', every: '1m', prompt: 'Go.', keep: 10 });
  const from = clock.now();
  await clock.advance(days * 24 * hour);
  await scheduler.start();
  while ((await scheduler.list()).some(({ last }) => last === null)) await clock.advance(0);
  await atRest({ clock, scheduler });
  const of = (job: string) =>
    store.query('listFires', { tenant: 1, job, below: Number.MAX_SAFE_INTEGER, limit: minutes + 9 });
  const fires = (await of('daily')).reverse();
  expect(fires.map(({ slot }) => (slot - from) / 60_000)).toEqual(
    Array.from({ length: minutes }, (_, i) => i + 1),
  );
  expect(fires.filter(({ status }) => status === 'ok').map(({ n }) => n)).toEqual([minutes]);
  expect(new Set(fires.slice(0, -1).map(({ reason }) => reason))).toEqual(
    new Set(days > 1 ? ['coalesced', 'too_old'] : ['coalesced']),
  );
  expect((await of('few')).map(({ n }) => n)).toEqual(Array.from({ length: 10 }, (_, i) => minutes - i));
});
