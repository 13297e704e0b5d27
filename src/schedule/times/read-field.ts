/** What is wrong with an expression; throws. */
export type Fail = (why: string) => never;

/** The values that a field may have, and how they are written. */
export interface FieldRules {
  /** `minutes`, for messages. */
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Where a step from a value ends, if not at `max`. */
  readonly stepsTo?: number;
  /** Names of the values from `firstNamed` on, in capitals: `JANUARY`. */
  readonly names?: readonly string[];
  readonly firstNamed?: number;
  /** Quartz: `JANUARY` is taken besides `JAN`. */
  readonly hasLongNames?: boolean;
  /** Quartz: `22-2` wraps around the end. */
  readonly mayWrap?: boolean;
  /** Years do not wrap around. */
  readonly isEndless?: boolean;
  /** Quartz: `/5` steps over all values. */
  readonly mayLackStart?: boolean;
}

export const monthNames = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
];
export const dayNames = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];

/** The entries of a field, in capitals. */
export function entriesOf(field: string, { name }: FieldRules, fail: Fail): string[] {
  const entries = field.toUpperCase().split(',');
  if (entries.includes('')) fail(`${name} "${field}" has an empty entry: a comma too many`);
  return entries;
}

/** The values of one entry: `5`, `MON`, `1-5`, all of them, and each with a step behind it (`10-40/10`, `5/10`). */
export function readEntry(entry: string, rules: FieldRules, fail: Fail): number[] {
  const { min, max, name, stepsTo = max } = rules;
  const [base = '', step, ...more] = entry.split('/');
  if (more.length > 0) fail(`${name} "${entry}" has more than one "/"`);
  const stepBy = step === undefined ? 1 : readStep(step, entry, rules, fail);
  if (base === '*') return upTo(min, stepsTo, stepBy);
  if (base === '') {
    if (rules.mayLackStart) return upTo(min, stepsTo, stepBy);
    fail(`${name} "${entry}" has nothing before "/": write "*${entry}"`);
  }
  const [from = '', to, ...rest] = base.split('-');
  if (rest.length > 0) fail(`${name} "${entry}" is not a range: write it as "${min}-${max}"`);
  const first = readValue(from, entry, rules, fail);
  if (to === undefined) return step === undefined ? [first] : upTo(first, Math.max(first, stepsTo), stepBy);
  return range(first, readValue(to, entry, rules, fail), stepBy, entry, rules, fail);
}

function range(
  first: number,
  last: number,
  step: number,
  entry: string,
  { name, min, max, mayWrap, isEndless }: FieldRules,
  fail: Fail,
): number[] {
  if (first <= last) return upTo(first, last, step);
  if (isEndless) fail(`${name} "${entry}" goes backwards: write "${last}-${first}"`);
  if (!mayWrap)
    fail(
      `${name} "${entry}" goes backwards: write "${first}-${max},${min}-${last}" for a range over the end`,
    );
  const size = max - min + 1;
  return upTo(first, last + size, step).map((value) => (value > max ? value - size : value));
}

function upTo(first: number, last: number, step: number): number[] {
  const values: number[] = [];
  for (let value = first; value <= last; value += step) values.push(value);
  return values;
}

function readStep(text: string, entry: string, { name, min, max }: FieldRules, fail: Fail): number {
  if (!/^\d+$/.test(text)) fail(`${name} "${entry}": "/" must be followed by a whole number, as in "*/5"`);
  const step = Number(text);
  if (step === 0) fail(`${name} "${entry}": a step of 0 never moves; leave "/0" out`);
  const size = max - min + 1;
  if (step > size || (min === 0 && step >= size))
    fail(`${name} "${entry}": increment ${step} is too large: it is at most ${min === 0 ? max : size}`);
  return step;
}

/** A number or a name. */
export function readValue(text: string, entry: string, rules: FieldRules, fail: Fail): number {
  const { name, min, max } = rules;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : numberOfName(text, rules);
  if (value === null)
    fail(
      `${name} "${entry}": ${text === '' ? 'a value is missing' : `"${text}" is not a value`}; ${valuesIn(rules)}`,
    );
  if (value < min || value > max) fail(`${name} "${entry}": ${value} is out of range; ${valuesIn(rules)}`);
  return value;
}

function numberOfName(text: string, { names, firstNamed = 0, hasLongNames }: FieldRules): number | null {
  if (text.length < 3) return null;
  const found = (names ?? []).findIndex((long) =>
    hasLongNames ? long.startsWith(text) : long.slice(0, 3) === text,
  );
  return found < 0 ? null : firstNamed + found;
}

/** What a field takes, for messages. */
function valuesIn({ name, min, max, names, firstNamed = 0 }: FieldRules): string {
  const numbers = `${name} are ${min} to ${max}`;
  if (names === undefined) return numbers;
  const [first = '', last = ''] = [names[0], names.at(-1)].map((long) => long?.slice(0, 3));
  return `${numbers} or ${first} to ${last} (${first} is ${firstNamed})`;
}
