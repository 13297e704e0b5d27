import { DetentError } from './error.ts';
import { oneOf } from './one-of.ts';

/** What a client may do: see things; start and steer runs; decide for people; administrate. None includes another. */
export const scopes = ['read', 'write', 'approve', 'admin'] as const;

export type Scope = (typeof scopes)[number];

/** Who a client is: what its token, or the host's own authentication, says of it. */
export interface Caller {
  tenantId: number;
  /** Only the sessions and runs of this user exist for the client; null for those of the whole tenant. */
  userId: string | null;
  scopes: readonly Scope[];
  /** Runs at work at once, in place of the gateway's own limit. */
  maxRuns?: number;
}

/**
 * Checks scopes that come from outside.
 *
 * @returns each scope once, in the order of {@link scopes}
 * @throws DetentError `INVALID_SCOPE` for an unknown scope, for none, and for anything but a list
 */
export function checkScopes(given: unknown): readonly Scope[] {
  if (!Array.isArray(given) || given.length === 0)
    throw new DetentError('INVALID_SCOPE', `a token needs a list of scopes: ${scopes.join(', ')}`);
  const known = new Set(given.map((scope) => oneOf(scope, scopes, 'a scope of a token', 'INVALID_SCOPE')));
  return scopes.filter((scope) => known.has(scope));
}
