import type { TokenView } from '../../../index.ts';

/** What the JSON of these commands says of a token. Times are milliseconds since the epoch. */
export function tokenFields({
  id,
  scopes,
  tenantId,
  userId,
  sees,
  agents,
  workflows,
  expiresAt,
  maxRuns,
}: TokenView) {
  return {
    id,
    scopes,
    tenant: tenantId,
    ...(userId !== null && { user: userId }),
    ...(sees && { sees }),
    ...(agents && { agents }),
    ...(workflows && { workflows }),
    ...(expiresAt !== null && { expiresAt }),
    ...(maxRuns !== null && { maxRuns }),
  };
}
