/**
 * What a schedule means, in parts that every language can put into words: `at 09:00`, `Monday to Friday`, `in January to March`.
 * It has the times that an expression means, whatever its dialect writes for them.
 */
export interface ScheduleParts {
  readonly time: TimePart;
  /** One of them is enough; none for every day. */
  readonly days: readonly DayPart[];
  /** 1 is January; none for every month. */
  readonly months: readonly Run[];
  /** Null for every year. */
  readonly years: NumberList | null;
}

/** From a number to another one; one alone is both. */
export type Run = readonly [first: number, last: number];

/** Numbers one after the other; many that are equally far apart by their distance. */
export type NumberList =
  | { readonly runs: readonly Run[] }
  | { readonly step: number; readonly first: number; readonly last: number };

export type SpanUnit = 'day' | 'hour' | 'minute' | 'second' | 'millisecond';

export type TimePart =
  /** Every so often: `[1, 'hour'], [30, 'minute']`. */
  | { readonly kind: 'span'; readonly span: ReadonlyArray<readonly [count: number, unit: SpanUnit]> }
  /** At times of the day: `09:00`. */
  | { readonly kind: 'at'; readonly times: readonly string[] }
  /** Every so many full hours; `from` null from midnight on, `to` null until the day ends. */
  | {
      readonly kind: 'hours';
      readonly step: number;
      readonly from: string | null;
      readonly to: string | null;
    }
  /** Every so many minutes or seconds, or at some of them; within some minutes and hours, null for all. */
  | {
      readonly kind: 'within';
      readonly unit: 'minute' | 'second';
      readonly at: NumberList | { readonly every: number };
      readonly minutes: NumberList | null;
      readonly hours: NumberList | null;
    };

export type DayPart =
  /** 1 is Monday. */
  | { readonly kind: 'weekdays'; readonly days: readonly Run[] }
  | { readonly kind: 'days'; readonly days: NumberList }
  /** So many days before the last one of the month. */
  | { readonly kind: 'beforeLast'; readonly count: number }
  /** The weekday nearest to a day of the month, or to one so many days before the last. */
  | { readonly kind: 'nearDay'; readonly day: number }
  | { readonly kind: 'nearBeforeLast'; readonly count: number }
  /** The first to fifth, or last, Monday of the month. */
  | { readonly kind: 'nth'; readonly nth: 1 | 2 | 3 | 4 | 5 | 'last'; readonly day: number };
