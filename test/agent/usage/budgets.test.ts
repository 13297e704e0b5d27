import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunJob } from '../../../src/agent/effect/run-effect.ts';
import {
  declareBudget,
  periodOf,
  releaseHolds,
  reserveCall,
  settleCall,
} from '../../../src/agent/usage/budgets.ts';
import type { Clock } from '../../../src/engine/clock.ts';
import type { RunRow } from '../../../src/store/rows.ts';
import type { RunBudget, RunOptions } from '../../../src/store/run-options.ts';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import { openSqlite } from '../../../src/store/sql/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import { effectInput, put, withRuns } from '../../store/rows.ts';
import { temporaryFile } from '../../store/support.ts';
import { ask } from '../../support/ask.ts';

const minuteMs = 60_000;
const team: RunBudget = { name: 'team', maxTokens: 1_000, maxCostUsd: null, per: null };
/** Reserves 100 tokens, and 0.3 dollars. */
const estimate = { model: { price: { inputUsd: 2_000, outputUsd: 4_000 }, maxOutputTokens: 50 }, tokens: 50 };

/** A clock that jumps: a sleeper wakes only at the end of the jump. */
function leapingClock(now: number) {
  const sleepers = new Map<() => void, number>();
  const clock: Clock & { advance(ms: number): Promise<void> } = {
    now: () => now,
    wakeAt(at, wake) {
      sleepers.set(wake, at);
      return () => void sleepers.delete(wake);
    },
    hold: () => () => {},
    async advance(ms) {
      await settled();
      now += ms;
      for (const [wake, at] of [...sleepers])
        if (at <= now) {
          sleepers.delete(wake);
          wake();
        }
      await settled();
    },
  };
  return clock;
}

async function settled(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setTimeout(resolve, 0));
}

interface Setting {
  store: Store;
  clock: ReturnType<typeof leapingClock>;
  /** The model call of run 1, 2 or 3. */
  job(run: number, signal?: AbortSignal): RunJob;
  reserve(run: number, over?: Partial<RunBudget>, signal?: AbortSignal): ReturnType<typeof reserveCall>;
  settle(run: number, tokens: number, costUsd?: number): Promise<void>;
  budget(): ReturnType<Store['query']>;
}

async function setting(store: Store): Promise<Setting> {
  onTestFinished(() => store.close());
  await withRuns(store, 3);
  for (const run of [1, 2, 3]) await put(store, 'insertEffect', effectInput({ run, n: 1 }));
  const clock = leapingClock(Date.UTC(2026, 0, 31, 23, 50));
  const job = (run: number, signal = new AbortController().signal) =>
    ({
      run: { pk: run, tenant: 1, fence: 1 } as RunRow,
      effectId: 1,
      signal,
    }) as RunJob;
  return {
    store,
    clock,
    job,
    reserve: (run, over = {}, signal) =>
      reserveCall(
        { store, clock, random: () => 0.5 },
        { ...job(run, signal), options: { budget: { ...team, ...over } } as RunOptions },
        estimate,
      ),
    settle: (run, tokens, costUsd = 0) =>
      store.commit(() => settleCall({ row: job(run).run, at: clock.now() }, 1, team, { tokens, costUsd })),
    budget: () =>
      store.query('findBudget', { tenant: 1, id: 'team', period: '', now: clock.now(), run: 0, n: 0 }),
  };
}

/** Whether a promise has settled by now. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  return (await Promise.race([
    promise.then(() => false),
    new Promise((done) => setImmediate(done, true)),
  ])) as boolean;
}

const open = async () => openSqlite({ file: await temporaryFile(), synchronous: 'NORMAL' });

describe('a budget that runs share', () => {
  it('reserves what a call may cost, and takes what it did cost', async () => {
    const { reserve, settle, budget } = await setting(await open());
    expect(await reserve(1)).toBeNull();
    expect(await budget()).toMatchObject({ spentTokens: 0, heldTokens: 100, heldCostUsd: 0.3, holds: 1 });
    await settle(1, 70, 0.2);
    expect(await budget()).toMatchObject({ spentTokens: 70, spentCostUsd: 0.2, heldTokens: 0, holds: 0 });
  });

  it('admits no call once it is used up, and says what to do', async () => {
    const { reserve, settle } = await setting(await open());
    await reserve(1);
    await settle(1, 1_000);
    const failure = await reserve(2);
    expect(failure).toMatchObject({ code: 'BUDGET_EXHAUSTED', retryable: false });
    expect(failure?.message).toContain('"team" is used up: 1000 of 1000 tokens');
    expect(failure?.message).toContain('raise budgets.team');
  });

  it('is reached by either of its limits', async () => {
    const { reserve, settle } = await setting(await open());
    const money = { maxTokens: null, maxCostUsd: 0.5 };
    await reserve(1, money);
    await settle(1, 5_000_000, 0.4);
    expect(await reserve(2, money)).toBeNull();
    await settle(2, 10, 0.1);
    expect((await reserve(3, money))?.message).toContain('$0.5000 of $0.5');
  });

  it('lets a call wait while only what others reserved is in the way', async () => {
    const { clock, reserve, settle, budget } = await setting(await open());
    await reserve(1, { maxTokens: 100 });
    const second = reserve(2, { maxTokens: 100 });
    await clock.advance(minuteMs);
    expect(await isPending(second)).toBe(true);
    await settle(1, 10);
    await clock.advance(1_000);
    expect(await second).toBeNull();
    expect(await budget()).toMatchObject({ spentTokens: 10, heldTokens: 100, holds: 1 });
  });

  it('tells a call that waits when the others have used it up', async () => {
    const { clock, reserve, settle } = await setting(await open());
    await reserve(1, { maxTokens: 100 });
    const second = reserve(2, { maxTokens: 100 });
    await clock.advance(minuteMs);
    await settle(1, 100);
    await clock.advance(1_000);
    expect(await second).toMatchObject({ code: 'BUDGET_EXHAUSTED' });
  });

  it('forgets a reservation after a quarter of an hour: its process may be gone', async () => {
    const { clock, reserve } = await setting(await open());
    await reserve(1, { maxTokens: 100 });
    const second = reserve(2, { maxTokens: 100 });
    await clock.advance(14 * minuteMs);
    expect(await isPending(second)).toBe(true);
    await clock.advance(2 * minuteMs);
    expect(await second).toBeNull();
  });

  it('lets no call wait for ever, however often others come first', async () => {
    const { store, clock, reserve } = await setting(await open());
    await reserve(1, { maxTokens: 100 });
    const second = reserve(2, { maxTokens: 100 });
    for (let i = 0; i < 3; i++) {
      await clock.advance(8 * minuteMs);
      const expiresAt = clock.now() + 15 * minuteMs;
      const hold = {
        tenant: 1,
        run: 3,
        n: 1,
        budget: 'team',
        period: '',
        tokens: 100,
        costUsd: 0,
        leastTokens: 0,
        leastCostUsd: 0,
        expiresAt,
      };
      await put(store, 'putHold', hold);
    }
    expect(await second).toMatchObject({ code: 'BUDGET_EXHAUSTED' });
    expect((await second)?.message).toContain('was reserved by');
  });

  it('lets go of a call that is aborted while it waits', async () => {
    const { clock, reserve, budget } = await setting(await open());
    await reserve(1, { maxTokens: 100 });
    const abort = new AbortController();
    const second = reserve(2, { maxTokens: 100 }, abort.signal);
    const ended = expect(second).rejects.toThrow();
    await clock.advance(minuteMs);
    abort.abort();
    await ended;
    expect(await budget()).toMatchObject({ holds: 1 });
  });

  it('reserves nothing for a call that is not performed any more', async () => {
    const { store, reserve, budget } = await setting(await open());
    await reserve(1);
    await put(store, 'closeEffect', { run: 2, n: 1, at: 1 });
    await expect(reserve(2)).rejects.toThrow('no longer belongs to this process');
    await put(store, 'startEffect', {
      run: 3,
      n: 1,
      driver: 2,
      fence: 2,
      status: 'started',
      attempts: 1,
      at: 1,
    });
    await expect(reserve(3)).rejects.toThrow('no longer belongs to this process');
    expect(await budget()).toMatchObject({ holds: 1 });
  });

  it('reserves a call again, once, whose process died', async () => {
    const { reserve, settle, budget } = await setting(await open());
    await reserve(1, { maxTokens: 100 });
    expect(await reserve(1, { maxTokens: 100 })).toBeNull();
    expect(await budget()).toMatchObject({ heldTokens: 100, holds: 1 });
    await settle(1, 60);
    expect(await budget()).toMatchObject({ spentTokens: 60, holds: 0 });
  });

  it('gets back what the calls of a run reserved when that is aborted', async () => {
    const { store, job, reserve, budget } = await setting(await open());
    await reserve(1);
    await reserve(2);
    await store.commit(() => releaseHolds({ row: job(1).run, at: 0 }));
    expect(await budget()).toMatchObject({ spentTokens: 0, heldTokens: 100, holds: 1 });
  });

  it('counts a call whose reservation is gone all the same', async () => {
    const { store, reserve, settle, budget } = await setting(await open());
    await reserve(1);
    await put(store, 'deleteHold', { run: 1, n: 1 });
    await settle(1, 70);
    expect(await budget()).toMatchObject({ spentTokens: 70 });
  });

  it('starts anew with the day; a call belongs to the day on which it began', async () => {
    const { store, clock, reserve } = await setting(await open());
    const daily = { per: 'day', maxTokens: 100 } as const;
    await reserve(1, daily);
    const before = reserve(2, daily);
    await clock.advance(minuteMs);
    expect(await isPending(before)).toBe(true);
    // Midnight passes while it waits.
    await clock.advance(10 * minuteMs);
    expect(await before).toBeNull();
    const dayBudget: RunBudget = { ...team, ...daily };
    const row = { pk: 1, tenant: 1, fence: 1 } as RunRow;
    await store.commit(() => settleCall({ row, at: clock.now() }, 1, dayBudget, { tokens: 30, costUsd: 0 }));
    const of = (period: string) =>
      store.query('findBudget', { tenant: 1, id: 'team', period, now: clock.now(), run: 0, n: 0 });
    expect(await of('2026-01-31')).toMatchObject({ spentTokens: 30, holds: 0 });
    expect(await of('2026-02-01')).toMatchObject({ spentTokens: 0, holds: 1 });
  });

  it('has the limits that were configured last, for runs under way too', async () => {
    const { store, clock, reserve, settle, budget } = await setting(await open());
    await reserve(1);
    await settle(1, 1_000);
    expect(await reserve(2)).toMatchObject({ code: 'BUDGET_EXHAUSTED' });
    await declareBudget(store, 1, { ...team, maxTokens: 2_000 }, null, clock.now());
    expect(await reserve(2)).toBeNull();
    expect(await budget()).toMatchObject({ maxTokens: 2_000, spentTokens: 1_000 });
  });

  it('is made for each tenant', async () => {
    const { store, clock } = await setting(await open());
    const { id: tenant } = await put(store, 'insertTenant', { name: 'acme', workspace: null });
    await declareBudget(store, tenant, team, null, clock.now());
    const key = { tenant, id: 'team', period: '', now: 0, run: 0, n: 0 };
    expect(await store.query('findBudget', key)).toMatchObject({ maxTokens: 1_000 });
  });

  it('without limits only counts', async () => {
    const { store, reserve, settle } = await setting(await open());
    await reserve(1, { maxTokens: null });
    await settle(1, 1e9, 1e6);
    expect(await reserve(2, { maxTokens: null })).toBeNull();
    expect(await store.query('findHold', { run: 2, n: 1 })).toBeDefined();
  });
});

describe('the period of a budget', () => {
  it('is a day, a month, or all time, by UTC', () => {
    const at = Date.UTC(2026, 11, 31, 23, 59, 59, 999);
    expect([periodOf('day', at), periodOf('month', at), periodOf(null, at)]).toEqual([
      '2026-12-31',
      '2026-12',
      '',
    ]);
    expect(periodOf('month', at + 1)).toBe('2027-01');
  });
});

it('a run without a shared budget asks for nothing', async () => {
  const nothing = {} as never;
  expect(await reserveCall(nothing, { options: {} } as never, estimate)).toBeNull();
});

it('what is reserved is given to one call after the other', async () => {
  const { store, clock, reserve } = await setting(openInMemory());
  await store.commit(() =>
    ask('ensureBudget', {
      tenant: 1,
      id: 'team',
      period: '',
      maxTokens: 150,
      maxCostUsd: null,
      at: clock.now(),
    }),
  );
  const all = [1, 2, 3].map((run) => reserve(run, { maxTokens: 150 }));
  await clock.advance(1_000);
  const waiting = await Promise.all(all.map(isPending));
  expect(waiting.filter(Boolean)).toHaveLength(1);
});
