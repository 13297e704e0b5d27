import { DetentError, messageOf } from '../../protocol/error.ts';

/** The given options, by long name. */
export type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** The command line adds where the help of the command is. */
export function usage(message: string): DetentError {
  return new DetentError('USAGE', message);
}

/** The value of a flag, which is JSON. @throws DetentError `USAGE`. */
export function parsedFlag(named: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usage(`${named} is not JSON: ${messageOf(error)}`);
  }
}

/** @throws DetentError `USAGE` when the word is missing. */
export function word(words: readonly string[], index: number, name: string): string {
  const value = words[index];
  if (value === undefined || value === '') throw usage(`${name} is missing`);
  return value;
}

export function text(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

/** The values of a repeatable option. */
export function texts(flags: Flags, name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value : [];
}

/** @throws DetentError `USAGE`. */
export function oneOf<T extends string>(flags: Flags, name: string, allowed: readonly T[]): T | undefined {
  const value = text(flags, name);
  if (value === undefined) return undefined;
  if (!(allowed as readonly string[]).includes(value))
    throw usage(`--${name} is ${allowed.join(', ')}, not "${value}"`);
  return value as T;
}

/** @throws DetentError `USAGE`. */
export function wholeNumber(flags: Flags, name: string, min: number): number | undefined {
  const value = text(flags, name);
  if (value === undefined) return undefined;
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min)) throw usage(`--${name} is a whole number of at least ${min}, not "${value}"`);
  return number;
}

/** US dollars: `2`, `0.05`. @throws DetentError `USAGE`. */
export function money(flags: Flags, name: string): number | undefined {
  const value = text(flags, name);
  if (value === undefined) return undefined;
  const usd = /^\d{1,9}(\.\d{1,9})?$/.test(value) ? Number(value) : 0;
  if (usd <= 0) throw usage(`--${name} is US dollars like 2 or 0.05, not "${value}"`);
  return usd;
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `5m`, `1.5h`; a bare number is seconds. @throws DetentError `USAGE`. */
export function duration(flags: Flags, name: string): number | undefined {
  const value = text(flags, name);
  if (value === undefined) return undefined;
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)?$/.exec(value);
  const ms = match ? Math.round(Number(match[1]) * (unitMs[match[2] ?? 's'] ?? 0)) : 0;
  if (ms <= 0) throw usage(`--${name} is a duration like 90s, 5m or 2h, not "${value}"`);
  return ms;
}

/** A field that is there if it has a value. */
export function given<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}
