import { defaultTenant } from '../../protocol/access.ts';
import { idOf, sha256 } from '../../text/ids.ts';
import type { RunRequest } from '../config/request.ts';

/** The id of the run that a request's key names: the same for each request of that user with it, in every process. */
export function runIdOf({ idempotencyKey, principal }: RunRequest): string {
  const { tenantId = defaultTenant, userId = null } = principal ?? {};
  return idOf('run', sha256(JSON.stringify([tenantId, userId, String(idempotencyKey)])));
}
