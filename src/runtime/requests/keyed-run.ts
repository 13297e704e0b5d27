import { defaultTenant } from '../../protocol/access.ts';
import { idOf, randomId, sha256 } from '../../text/ids.ts';
import type { RunRequest } from '../config/request.ts';

/** The id of a request's run. With a key it is the same for each request of that user with it, in every process. */
export function runIdOf({
  idempotencyKey,
  principal,
}: Pick<RunRequest, 'idempotencyKey' | 'principal'>): string {
  if (idempotencyKey === undefined) return randomId('run');
  const { tenantId = defaultTenant, userId = null } = principal ?? {};
  return idOf('run', sha256(JSON.stringify([tenantId, userId, String(idempotencyKey)])));
}
