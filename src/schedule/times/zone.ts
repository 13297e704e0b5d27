import { DetentError } from '../../protocol/error.ts';
import { shown } from '../../protocol/json.ts';
import { nearestName } from '../../text/wording.ts';

/** The local time of a time zone. All times are milliseconds. */
export interface Zone {
  readonly name: string;
  /** Local time minus UTC. */
  offsetAt(utcMs: number): number;
  /** A time in which the clock does not change; the next one begins where it ends. */
  stretchAt(utcMs: number): Stretch;
}

interface Stretch {
  readonly offsetMs: number;
  /** When the clock changed to this offset, and from which one; null where the stretch begins for another reason. */
  readonly change: { readonly atMs: number; readonly fromOffsetMs: number } | null;
  readonly untilMs: number;
}

/** Zones by name; each is made once, because the tables behind it cost some 50 µs to load. */
export type Zones = (name: string) => Zone;

// No zone changes its clock twice in so short a time. Chunks begin at a second in which no clock changes.
const chunkMs = 8 * 86_400_000;
const originMs = 12_345_678_000;

/** Zones that share what they learn of the clocks. Keep one for as long as schedules are computed. */
export function createZones(): Zones {
  const known = new Map<string, Zone>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const zone = createZone(checkTimeZone(name));
    known.set(name, zone);
    return zone;
  };
}

/**
 * The name of a time zone of this Node (`Europe/Berlin`, `UTC`), with the case of the letters set right.
 *
 * @throws DetentError `UNKNOWN_TIME_ZONE`, with the nearest name.
 */
export function checkTimeZone(name: unknown): string {
  const resolved = typeof name === 'string' ? resolvedName(name) : null;
  if (typeof name === 'string' && resolved === name) return name;
  const names = Intl.supportedValuesOf('timeZone');
  if (typeof name === 'string' && resolved !== null) {
    // Node names some zones by an older name: the one that was given is kept.
    const lower = name.toLowerCase();
    return (
      names.find((known) => known.toLowerCase() === lower) ??
      (resolved.toLowerCase() === lower ? resolved : name)
    );
  }
  const nearest = typeof name === 'string' ? nearestZone(name, names) : null;
  const hint =
    nearest === null ? '; write a name like "Europe/Berlin" or "UTC"' : `; did you mean "${nearest}"?`;
  throw new DetentError('UNKNOWN_TIME_ZONE', `${shown(name)} is not a time zone${hint}`, {
    details: { timeZone: typeof name === 'string' ? name : null, nearest },
  });
}

// Intl takes offsets as well ("+02:00"): they have no rules for summer, and people who write them mostly expect some.
function resolvedName(name: string): string | null {
  if (!/^[A-Za-z]/.test(name)) return null;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

const minGuessedChars = 4;

function nearestZone(wanted: string, names: readonly string[]): string | null {
  if (wanted.length < minGuessedChars) return null;
  const city = nearestName(
    wanted,
    names.map((name) => name.split('/').at(-1) ?? name),
  );
  return nearestName(wanted, names) ?? names.find((name) => name.endsWith(`/${city}`)) ?? null;
}

function createZone(name: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const measure = (utcMs: number) => wallOf(format, utcMs) - Math.floor(utcMs / 1_000) * 1_000;
  const atStart = new Map<number, number>();
  const chunks = new Map<number, readonly Stretch[]>();

  const offsetAtStartOf = (chunk: number): number => {
    const found = atStart.get(chunk);
    if (found !== undefined) return found;
    const offset = measure(originMs + chunk * chunkMs);
    atStart.set(chunk, offset);
    return offset;
  };

  const stretchesOf = (chunk: number): readonly Stretch[] => {
    const found = chunks.get(chunk);
    if (found !== undefined) return found;
    const startMs = originMs + chunk * chunkMs;
    const endMs = startMs + chunkMs;
    const [before, after] = [offsetAtStartOf(chunk), offsetAtStartOf(chunk + 1)];
    const atMs = before === after ? endMs : changeBetween(startMs, endMs, before, measure);
    const stretches: Stretch[] = [{ offsetMs: before, change: null, untilMs: atMs }];
    if (atMs < endMs)
      stretches.push({ offsetMs: after, change: { atMs, fromOffsetMs: before }, untilMs: endMs });
    chunks.set(chunk, stretches);
    return stretches;
  };

  const stretchAt = (utcMs: number): Stretch => {
    const stretches = stretchesOf(Math.floor((utcMs - originMs) / chunkMs));
    const [first, second] = stretches;
    const found = second !== undefined && first !== undefined && utcMs >= first.untilMs ? second : first;
    if (found === undefined) throw new Error('a chunk without a stretch');
    return found;
  };

  return { name, stretchAt, offsetAt: (utcMs) => stretchAt(utcMs).offsetMs };
}

/** The second in which the clock changes from an offset. */
function changeBetween(
  startMs: number,
  endMs: number,
  before: number,
  measure: (utcMs: number) => number,
): number {
  let [low, high] = [startMs / 1_000, endMs / 1_000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (measure(middle * 1_000) === before) low = middle;
    else high = middle;
  }
  return high * 1_000;
}

function wallOf(format: Intl.DateTimeFormat, utcMs: number): number {
  const values: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(utcMs)) values[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = values;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
