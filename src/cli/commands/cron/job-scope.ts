import type { JobScope } from '../../../schedule/api.ts';
import { type Flags, text, usage, wholeNumber } from '../../settings/flags.ts';

/** Whose jobs the command line means. @throws DetentError `USAGE`. */
export function jobScope(flags: Flags): JobScope {
  if (flags.server !== undefined)
    for (const flag of ['tenant', 'user'])
      if (flags[flag] !== undefined)
        throw usage(
          `a gateway knows tenant and user by the token: --server and --${flag} exclude each other`,
        );
  const tenantId = wholeNumber(flags, 'tenant', 1);
  const userId = text(flags, 'user');
  return { ...(tenantId !== undefined && { tenantId }), ...(userId !== undefined && { userId }) };
}
