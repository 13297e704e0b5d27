import type { JobScope } from '../../../schedule/scheduler.ts';
import { type Flags, text, wholeNumber } from '../../settings/flags.ts';

/** Whose jobs the command line means. @throws DetentError `USAGE`. */
export function jobScope(flags: Flags): JobScope {
  const tenantId = wholeNumber(flags, 'tenant', 1);
  const userId = text(flags, 'user');
  return { ...(tenantId !== undefined && { tenantId }), ...(userId !== undefined && { userId }) };
}
