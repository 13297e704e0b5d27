import { type Caller, type Reach, reachOf, seenUser } from '../../protocol/access.ts';

/** Whose runs are meant; without a user: those of the whole tenant. */
export interface Whose {
  tenantId: number;
  userId?: string;
  reach?: Reach;
}

/** The filter of a list: the caller's tenant, its user if it sees only that one's, and the agents and workflows that exist for it. */
export function ofCaller(caller: Caller): Whose {
  const userId = seenUser(caller);
  const reach = reachOf(caller);
  return { tenantId: caller.tenantId, ...(userId !== null && { userId }), ...(reach && { reach }) };
}

/** The owner of what the caller creates. */
export function principalOf({ tenantId, userId }: Caller): { tenantId: number; userId?: string } {
  return { tenantId, ...(userId !== null && { userId }) };
}

/** Whether something of its tenant does not exist for the caller. */
export function isBound(caller: Caller): boolean {
  return seenUser(caller) !== null || reachOf(caller) !== undefined;
}
