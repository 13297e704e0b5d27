import type { DayRule } from './days.ts';

/** The local times that an expression matches. */
export interface CronFields {
  readonly seconds: Values;
  readonly minutes: Values;
  readonly hours: Values;
  /** Bit 1 is January. */
  readonly months: number;
  /** In order; null for every year. */
  readonly years: readonly number[] | null;
  readonly days: DayRule;
  /** Seconds, minutes and hours have one value each: one time a day. */
  readonly isOneTimeADay: boolean;
}

/** The values of a field of the time of day. */
export interface Values {
  readonly first: number;
  /** By value: the first one that is not before it, or -1. */
  readonly from: Int8Array;
}

/** Times are computed within these years, both included: the years that Quartz names. */
export const firstYear = 1970;
export const lastYear = 2199;

/** @param values at least one, each below `size`. */
export function valuesOf(values: Iterable<number>, size: number): Values {
  const from = new Int8Array(size).fill(-1);
  for (const value of values) from[value] = value;
  for (let value = size - 2; value >= 0; value--) if (from[value] === -1) from[value] = from[value + 1] ?? -1;
  return { first: from[0] ?? -1, from };
}

/** A set of small numbers as bits. */
export function bitsOf(values: Iterable<number>): number {
  let bits = 0;
  for (const value of values) bits |= 1 << value;
  return bits;
}
