import { DetentError } from '../../protocol/error.ts';
import type { TakeableRun } from '../../store/rows.ts';
import type { EngineOptions } from './engine-options.ts';

type Fit = Pick<EngineOptions, 'hosts' | 'whyRefused'>;

/** Why this program leaves the run as it is: it must not move it, or has no version of its machine with a way on. */
export function whyLeft(options: Fit, row: TakeableRun): Error | null {
  return row.ended ? null : (options.whyRefused?.(row) ?? whyUnfit(options, row));
}

/** Why this program must not move the run; null when it may. */
export function whyRefused(options: Fit, row: TakeableRun): Error | null {
  const left = whyLeft(options, row);
  return DetentError.is(left) && left.code === 'MIGRATION_NEEDED' ? null : left;
}

function whyUnfit({ hosts }: Fit, row: TakeableRun): Error | null {
  try {
    hosts.migrationPathOf(row);
    return null;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}
