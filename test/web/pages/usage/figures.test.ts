import { describe, expect, it } from 'vitest';
import type { UsageSum } from '../../../../web/src/data/answers.ts';
import {
  axisOf,
  beginOf,
  csvOf,
  everyDay,
  mostDays,
  partsOf,
  sumOf,
} from '../../../../web/src/pages/usage/figures.ts';

const now = Date.UTC(2026, 10, 23, 6, 30);

const sum = (key: string, over: Partial<UsageSum> = {}): UsageSum => ({
  key,
  calls: 1,
  failed: 0,
  cached: 0,
  unpriced: 0,
  estimated: 0,
  inputTokens: 100,
  outputTokens: 10,
  cachedInputTokens: 40,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  costUsd: 0.5,
  ...over,
});

describe('days', () => {
  it('are whole ones of UTC, the present one included', () => {
    expect(beginOf('today', now)).toBe(Date.UTC(2026, 10, 23));
    expect(beginOf('week', now)).toBe(Date.UTC(2026, 10, 17));
    expect(beginOf('all', now)).toBeNull();
  });

  it('are all shown, those without a call too', () => {
    const days = everyDay([sum('2026-11-22'), sum('2026-11-20')], 'week', now);
    expect(days.map(({ key, calls }) => [key.slice(8), calls])).toEqual([
      ['17', 0],
      ['18', 0],
      ['19', 0],
      ['20', 1],
      ['21', 0],
      ['22', 1],
      ['23', 0],
    ]);
  });

  it('of all time begin with the first call, and are no more than a chart can show', () => {
    expect(everyDay([sum('2026-11-21')], 'all', now)).toHaveLength(3);
    expect(everyDay([sum('2020-01-01')], 'all', now)).toHaveLength(mostDays);
    expect(everyDay([], 'all', now)).toHaveLength(1);
  });
});

it('splits tokens into what was new, what came from a cache, and the answer', () => {
  expect(partsOf(sum('a'), 'tokens').map(({ value }) => value)).toEqual([60, 40, 10]);
  expect(sumOf(sum('a'), 'tokens')).toBe(110);
  expect(sumOf(sum('a'), 'cost')).toBe(0.5);
});

it.each([
  [0.0393, [0, 0.01, 0.02, 0.03, 0.04]],
  [7, [0, 2, 4, 6, 8]],
  [100, [0, 25, 50, 75, 100]],
  [0, [0, 1]],
])('has round lines up to %d', (most, lines) => {
  expect(axisOf(most)).toEqual(lines);
});

it('writes a table that no spreadsheet takes for formulas', () => {
  expect(csvOf('session', [sum('=1+1'), sum('tea, "green"')]).split('\r\n')).toEqual([
    'session,calls,failed,inputTokens,cachedInputTokens,outputTokens,reasoningTokens,costUsd,unpriced,estimated',
    "'=1+1,1,0,100,40,10,0,0.5,0,0",
    '"tea, ""green""",1,0,100,40,10,0,0.5,0,0',
    '',
  ]);
});
