import { expect, it } from 'vitest';
import type { FireView } from '../../../../src/protocol/views.ts';
import { barsOf, barsShown, summaryOf, tallest } from '../../../../web/src/pages/jobs/bars.ts';

const slot = (n: number, over: Partial<FireView> = {}): FireView => ({
  n,
  slot: n * 60_000,
  kind: 'slot',
  status: 'ok',
  reason: null,
  runId: `run_${n}`,
  runStatus: null,
  error: null,
  begunAt: 0,
  endedAt: 1_000,
  lateMs: null,
  deliveries: [],
  ...over,
});

it('shows the newest slots, oldest first', () => {
  const slots = Array.from({ length: 30 }, (_, index) => slot(30 - index));
  const bars = barsOf(slots);
  expect(bars).toHaveLength(barsShown);
  expect(bars.map(({ slot }) => slot.n)).toEqual(Array.from({ length: 24 }, (_, index) => index + 7));
});

it('gives the longest run the tallest bar, and never none', () => {
  const [quick, half, longest] = barsOf([
    slot(3, { endedAt: 10_000 }),
    slot(2, { endedAt: 5_000 }),
    slot(1, { endedAt: 0 }),
  ]);
  expect(longest?.height).toBe(tallest);
  expect(half?.height).toBe(16);
  expect(quick?.height).toBe(6);
});

it('tells what was missed from what was not to run, and what works from what waits for a person', () => {
  const kinds = (slots: FireView[]) => barsOf(slots).map(({ kind }) => kind);
  expect(
    kinds([
      slot(6, { status: 'running', runStatus: 'waiting' }),
      slot(5, { status: 'running', runStatus: 'running' }),
      slot(4, { status: 'running', runStatus: 'waiting', waitsForEvent: true }),
      slot(4, { status: 'skipped', reason: 'paused' }),
      slot(3, { status: 'skipped', reason: 'too_old' }),
      slot(2, { status: 'skipped', reason: 'missed' }),
      slot(1, { status: 'cancelled' }),
    ]),
  ).toEqual(['cancelled', 'missed', 'missed', 'none', 'working', 'working', 'waiting']);
});

it('sums up what the bars show, with the newest failure', () => {
  const failed = (n: number, message: string) => slot(n, { status: 'failed', error: { code: 'X', message } });
  expect(summaryOf(barsOf([failed(3, 'late'), slot(2), failed(1, 'early')]))).toMatchObject({
    done: 1,
    failed: 2,
    missed: 0,
    failure: 'late',
  });
});
