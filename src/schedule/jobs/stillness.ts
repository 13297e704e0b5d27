import { finished, isOfFailures } from '../../../machines/job.rules.ts';
import type { JobView } from '../../protocol/views.ts';

/** Detent's own reasons why a job stands still: its context keeps the words, and its view names each by a code. */
export const reasons = {
  paused: 'paused by hand',
  disabled: 'disabled by hand',
  madeSo: 'it was made so',
  configured: 'the configuration says so',
} as const;

const causes = new Map<string, NonNullable<JobView['cause']>>([
  [reasons.paused, 'by_hand'],
  [reasons.disabled, 'by_hand'],
  [reasons.madeSo, 'made_so'],
  [reasons.configured, 'configured'],
  [finished, 'finished'],
]);

/** Why a job stands still, in words and by a code; null for one that goes on. */
export function stillness(path: string, reason: string | null): Pick<JobView, 'why' | 'cause'> {
  if (path === 'failed') return { why: 'its statechart threw again and again', cause: 'faulted' };
  if (reason === null) return { why: null, cause: null };
  return { why: reason, cause: causes.get(reason) ?? (isOfFailures(reason) ? 'failures' : 'given') };
}
