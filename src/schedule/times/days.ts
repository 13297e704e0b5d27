/** Which days of a month a field names. Bit 1 is the first day. */
export interface DaysOfMonth {
  readonly days: number;
  /** Days before the last one: 0 for `L`, 3 for `L-3`. */
  readonly beforeLast: readonly number[];
  /** `15W`: the weekday (Monday to Friday) nearest to each, in the same month. */
  readonly weekdayNear: readonly number[];
  /** `LW`, `L-3W`: the nearest weekday of days counted from the last one. */
  readonly weekdayNearBeforeLast: readonly number[];
}

/** Which days of the week a field names. 0 is Sunday. */
export interface DaysOfWeek {
  /** Bits of the days that count in every week. */
  readonly days: number;
  /** Bits of the days whose last one in the month counts. */
  readonly last: number;
  readonly nth: readonly { readonly day: number; readonly nth: number }[];
}

/** The days that an expression asks for; null where a field allows every day. */
export interface DayRule {
  readonly ofMonth: DaysOfMonth | null;
  readonly ofWeek: DaysOfWeek | null;
}

export const noDaysOfMonth: DaysOfMonth = {
  days: 0,
  beforeLast: [],
  weekdayNear: [],
  weekdayNearBeforeLast: [],
};

const sunday = 0;
const saturday = 6;

/** The days of a month that a rule asks for, as bits. Where both fields restrict the day, either is enough. */
export function daysIn({ ofMonth, ofWeek }: DayRule, year: number, month: number): number {
  const last = lengthOf(year, month);
  const every = 2 ** (last + 1) - 2;
  const firstDay = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  if (ofMonth === null) return ofWeek === null ? every : weekDays(ofWeek, firstDay, last);
  const days = monthDays(ofMonth, firstDay, last) & every;
  return ofWeek === null ? days : days | weekDays(ofWeek, firstDay, last);
}

function lengthOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function monthDays(field: DaysOfMonth, firstDay: number, last: number): number {
  let bits = field.days;
  for (const offset of field.beforeLast) if (offset < last) bits |= 1 << (last - offset);
  for (const day of field.weekdayNear) if (day <= last) bits |= 1 << weekdayNear(day, firstDay, last);
  for (const offset of field.weekdayNearBeforeLast)
    if (offset < last) bits |= 1 << weekdayNear(last - offset, firstDay, last);
  return bits;
}

function weekdayNear(day: number, firstDay: number, last: number): number {
  const dayOfWeek = (firstDay + day - 1) % 7;
  if (dayOfWeek === saturday) return day === 1 ? 3 : day - 1;
  if (dayOfWeek === sunday) return day === last ? day - 2 : day + 1;
  return day;
}

function weekDays(field: DaysOfWeek, firstDay: number, last: number): number {
  let bits = 0;
  const hasDays = (field.days | field.last) !== 0;
  for (let day = 1; hasDays && day <= last; day++) {
    const dayOfWeek = 1 << ((firstDay + day - 1) % 7);
    const isLast = day + 7 > last;
    if ((field.days & dayOfWeek) !== 0 || (isLast && (field.last & dayOfWeek) !== 0)) bits |= 1 << day;
  }
  for (const { day, nth } of field.nth) {
    const date = 1 + ((day - firstDay + 7) % 7) + (nth - 1) * 7;
    if (date <= last) bits |= 1 << date;
  }
  return bits;
}
