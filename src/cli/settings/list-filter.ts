import { runStatuses } from '../../protocol/enums.ts';
import type { RunStatus } from '../../protocol/views.ts';
import { type Flags, text, usage, wholeNumber } from './flags.ts';
import { moment } from './moment.ts';

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
