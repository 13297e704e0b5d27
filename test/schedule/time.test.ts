import { describe, expect, it } from 'vitest';
import { type JobInput, nextTimes } from '../../src/schedule/index.ts';
import type { FireRow } from '../../src/store/rows.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import type { Store } from '../../src/store/store.ts';
import { fakeClock } from '../../src/testing/index.ts';
import { inSizes } from '../support/size.ts';
import { advanceBySlots, atRest, hour, minute, scheduled } from './support.ts';

const day = 24 * hour;
const iso = (ms: number) => new Date(ms).toISOString();
/** Keeps all slots. */
const all = { prompt: 'Go.', overlap: 'queue', keep: 1_000_000 } as const;

async function slotsOf(store: Store, job = 'j'): Promise<FireRow[]> {
  const page = { below: Number.MAX_SAFE_INTEGER, limit: 1_000_000 };
  return (await store.query('listFires', { tenant: 1, job, ...page })).reverse();
}

/** A schedule at work on a clock that begins at `start`. */
async function working(job: Partial<JobInput>, start: number, store = openInMemory()) {
  const { scheduler, clock } = scheduled({ clock: fakeClock(start), store });
  await scheduler.start();
  await scheduler.add({ jobId: 'j', ...all, ...job });
  const rest = () => atRest({ clock, scheduler });
  await rest();
  return { scheduler, clock, store, rest };
}

describe('where clocks are changed', () => {
  const changes = [
    ['Europe/Berlin', '2026-03-28T12:00:00Z'],
    ['America/New_York', '2026-10-31T20:00:00Z'],
    ['Europe/Berlin', '2026-10-24T12:00:00Z'],
    ['America/New_York', '2026-03-07T20:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T06:00:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T06:00:00Z'],
  ] as const;

  // Every day one of each kind: which slots a zone has is for times/clock-changes.test.ts.
  it.each(changes.slice(0, inSizes({ usual: 1, deep: 6, full: 6 })))(
    'each slot of two days in %s from %s runs once',
    async (timeZone, from) => {
      const start = Date.parse(from);
      // Within the hours that come twice, or not at all.
      const cron = { cron: '15,45 1,2,9 * * *', timeZone };
      const { clock, scheduler, store } = await working(cron, start);
      await advanceBySlots({ clock, scheduler }, 2 * day);
      const due = nextTimes(cron.cron, { timeZone, from: start, until: start + 2 * day, count: 100 });
      expect(due.length).toBeGreaterThan(9);
      const fires = await slotsOf(store);
      expect(fires.map(({ slot, status }) => `${iso(slot)} ${status}`)).toEqual(
        due.map((at) => `${iso(at)} ok`),
      );
    },
  );
});

describe('a clock that jumps', () => {
  const start = Date.UTC(2026, 0, 1);

  it('back by an hour: no slot runs twice, and the next one comes at its time', async () => {
    const store = openInMemory();
    const { clock, rest, scheduler } = await working({ every: '10m' }, start, store);
    await clock.advance(30 * minute);
    await rest();
    await scheduler.close();
    // The same rows, read by a process whose clock is an hour behind.
    const { clock: behind, scheduler: later } = scheduled({ clock: fakeClock(start - 30 * minute), store });
    await later.start();
    await later.run('j');
    await behind.advance(hour + 5 * minute);
    await atRest({ clock: behind, scheduler: later });
    const slots = (await slotsOf(store)).filter(({ kind }) => kind === 'slot');
    expect(slots.map(({ slot }) => (slot - start) / (10 * minute))).toEqual([1, 2, 3]);
    await behind.advance(10 * minute);
    await atRest({ clock: behind, scheduler: later });
    expect((await slotsOf(store)).at(-1)).toMatchObject({ slot: start + 40 * minute, status: 'ok' });
  });
});

/** Without a process for days at times. From 13 weeks on the clocks are changed within them, on a day that has a slot. */
const weeks = inSizes({ usual: 5, deep: 14, full: 52 });

it(`${weeks} weeks, with a process that ends now and then: each slot runs once, or is on record with its reason`, async () => {
  const expression = inSizes({ usual: '30 2 */2 * *', deep: '30 2 */2 * *', full: '30 * * * *' });
  const start = Date.UTC(2026, 0, 1);
  const store = openInMemory();
  const cron = { cron: expression, timeZone: 'Europe/Berlin' };
  const first = await working(cron, start, store);
  await first.scheduler.close();
  const { clock, scheduler } = first;
  for (let week = 0; week < weeks; week++) {
    await scheduler.start();
    const awake = 7 * 24 - (week % 4 === 0 ? 60 : 0);
    await advanceBySlots({ clock, scheduler }, awake * hour);
    await scheduler.close();
    // Nothing runs the schedule for more than two days in every fourth week.
    await clock.advance(7 * day - awake * hour);
  }
  await scheduler.start();
  await clock.advance(0);
  await atRest({ clock, scheduler });
  const due = nextTimes(cron.cron, {
    timeZone: cron.timeZone,
    from: start,
    until: clock.now(),
    count: 10_000,
  });
  const fires = await slotsOf(store);
  expect(fires.map(({ slot }) => iso(slot))).toEqual(due.map(iso));
  const ran = fires.filter(({ status }) => status === 'ok').length;
  console.log(
    `${weeks} weeks of ${due.length} slots: ${ran} ran, ${due.length - ran} on record with their reason`,
  );
  for (const { status, reason } of fires) expect(status === 'ok' || reason !== null).toBe(true);
  expect([ran > 0, ran < due.length]).toEqual([true, true]);
}, 600_000);
