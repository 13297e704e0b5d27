import { runStatuses } from '../../protocol/enums.ts';
import type { RunStatus } from '../../protocol/views.ts';
import { duration, type Flags, text, usage, wholeNumber } from './flags.ts';

const dayMs = 86_400_000;

/**
 * The time in a flag, in milliseconds since the epoch: a day or time of ISO 8601 (UTC without a zone), or an age (`90m`,
 * `7d`).
 *
 * @param edge whether a day means its start or its end: `--until 2026-01-31` includes that day
 * @throws DetentError `USAGE`
 */
export function moment(flags: Flags, name: string, edge: 'start' | 'end', now: number): number | undefined {
  const value = text(flags, name);
  if (value === undefined) return undefined;
  if (/^\d[\d.]*(ms|s|m|h|d)$/.test(value)) return now - (duration(flags, name) ?? 0);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(value);
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/.test(value);
  const zoned = isTime && !/(Z|[+-]\d{2}:\d{2})$/.test(value) ? `${value}Z` : value;
  const at = isDay || isTime ? Date.parse(zoned) : Number.NaN;
  if (Number.isNaN(at) || (isDay && new Date(at).toISOString().slice(0, 10) !== value))
    throw usage(
      `--${name} is a day like 2026-01-31, a time like 2026-01-31T08:00Z, or a time ago like 7d, not "${value}"`,
    );
  return isDay && edge === 'end' ? at + dayMs : at;
}

/** Which runs or sessions a list shows, from `--limit`, `--status` and `--since`. @throws DetentError `USAGE`. */
export function listFilter(flags: Flags): { limit: number; status?: RunStatus[]; since?: number } {
  const status = statusesOf(text(flags, 'status'));
  const since = moment(flags, 'since', 'start', Date.now());
  return {
    limit: wholeNumber(flags, 'limit', 1) ?? 100,
    ...(status && { status }),
    ...(since !== undefined && { since }),
  };
}

function statusesOf(value: string | undefined): RunStatus[] | undefined {
  const words = value?.split(',').map((word) => word.trim());
  const unknown = words?.find((word) => !(runStatuses as readonly string[]).includes(word));
  if (unknown !== undefined) throw usage(`--status is ${runStatuses.join(', ')}, not "${unknown}"`);
  return words as RunStatus[] | undefined;
}
