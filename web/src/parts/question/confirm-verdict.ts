import type { Input } from '#src/client/index.ts';
import type { GrantPattern } from './grant-pattern.ts';
import { t } from './words.ts';

/** What is open beside a call: the reason of a rejection, or the form of its arguments. */
export type Panel = 'none' | 'reject' | 'modify';

/** What a person decides about a call. */
type Verdict = Omit<Input<'tool.confirm'>, 'runId' | 'callId' | 'hash'>;

interface Written {
  /** Why not. */
  reason: string;
  /** Which later calls of the session run without asking; null for this call alone. */
  grant: { tool: string; pattern: GrantPattern } | null;
  /** The new arguments; null while there are no valid ones. */
  modified(): Record<string, unknown> | null;
}

/** What the button means beside each panel; null while that cannot be sent. */
export function verdictOf(panel: Panel, { reason, grant, modified }: Written): Verdict | null {
  if (panel === 'reject')
    return { verdict: 'reject', ...(reason.trim() !== '' && { reason: reason.trim() }) };
  if (panel === 'none') return { verdict: 'approve', ...(grant && { grant }) };
  const args = modified();
  return args && { verdict: 'modify', arguments: args };
}

/** The same on the button. */
export function verdictInWords(panel: Panel, { reason, grant }: Pick<Written, 'reason' | 'grant'>): string {
  if (panel === 'reject') return reason.trim() === '' ? t.rejectOnly : t.rejectWith;
  if (panel === 'modify') return t.approveChanged;
  return grant === null ? t.approve : t.approveSession;
}
