import type { UsageSum } from '../../data/answers.ts';

export const groupings = ['day', 'model', 'session'] as const;
export type Grouping = (typeof groupings)[number];

export const times = ['today', 'week', 'month', 'all'] as const;
export type Time = (typeof times)[number];

export const measures = ['cost', 'tokens'] as const;
export type Measure = (typeof measures)[number];

const day = 86_400_000;
const daysOf: Readonly<Record<Time, number | null>> = { today: 1, week: 7, month: 30, all: null };

/** A chart has no more bars than this. */
export const mostDays = 120;

/** The first moment of a range: of whole days of UTC, as the ledger groups them. Null for all of it. */
export function beginOf(time: Time, now: number): number | null {
  const days = daysOf[time];
  return days === null ? null : Math.floor(now / day) * day - (days - 1) * day;
}

/** Every day of a range, oldest first, those without a call too. Of all time: from the first call on, the newest {@link mostDays}. */
export function everyDay(groups: readonly UsageSum[], time: Time, now: number): UsageSum[] {
  const byDay = new Map(groups.map((sum) => [sum.key, sum]));
  const first = groups.reduce((least, { key }) => (key < least ? key : least), dayKey(now));
  const begin = beginOf(time, now) ?? Date.parse(`${first}T00:00:00Z`);
  const all: UsageSum[] = [];
  for (let at = begin; at <= now; at += day) all.push(byDay.get(dayKey(at)) ?? noCalls(dayKey(at)));
  return all.slice(-mostDays);
}

function dayKey(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function noCalls(key: string): UsageSum {
  return {
    key,
    calls: 0,
    failed: 0,
    cached: 0,
    unpriced: 0,
    estimated: 0,
    inputTokens: 0,
    outputTokens: 0,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    costUsd: 0,
  };
}

/** The parts of a bar, from below. */
export type Series = 'cost' | 'newInput' | 'cachedInput' | 'output';

export function partsOf(sum: UsageSum, measure: Measure): { series: Series; value: number }[] {
  if (measure === 'cost') return [{ series: 'cost', value: sum.costUsd ?? 0 }];
  return [
    { series: 'newInput', value: Math.max(0, sum.inputTokens - sum.cachedInputTokens) },
    { series: 'cachedInput', value: sum.cachedInputTokens },
    { series: 'output', value: sum.outputTokens },
  ];
}

export function sumOf(sum: UsageSum, measure: Measure): number {
  return partsOf(sum, measure).reduce((total, { value }) => total + value, 0);
}

/** Round values for the lines of an axis, from 0 to the first one that no value exceeds: about four. */
export function axisOf(most: number): number[] {
  if (!(most > 0)) return [0, 1];
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const lines = Math.ceil(most / step - 1e-9);
  return Array.from({ length: lines + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

const columns = [
  'key',
  'calls',
  'failed',
  'inputTokens',
  'cachedInputTokens',
  'outputTokens',
  'reasoningTokens',
  'costUsd',
  'unpriced',
  'estimated',
] as const;

/** The table as a file. Text that a spreadsheet would take for a formula begins with an apostrophe. */
export function csvOf(grouping: Grouping, groups: readonly UsageSum[]): string {
  const head = [grouping, ...columns.slice(1)].join(',');
  const rows = groups.map((sum) => columns.map((name) => cell(sum[name])).join(','));
  return [head, ...rows, ''].join('\r\n');
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
