import { defaultTenant } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { isObject, shown } from '../../protocol/json.ts';
import { idOf, randomId, sha256 } from '../../text/ids.ts';
import type { RunRequest } from '../config/request.ts';

/**
 * The id of a request's run. With a key it is the same for each request of that user with it, in every process.
 *
 * @throws DetentError `INVALID_REQUEST` for what is no request: programs without types call it first.
 */
export function runIdOf(request: Pick<RunRequest, 'idempotencyKey' | 'principal'>): string {
  if (!isObject(request))
    throw new DetentError('INVALID_REQUEST', `a request is an object of options, not ${shown(request)}`);
  const { idempotencyKey, principal } = request;
  if (idempotencyKey === undefined) return randomId('run');
  const { tenantId = defaultTenant, userId = null } = principal ?? {};
  return idOf('run', sha256(JSON.stringify([tenantId, userId, String(idempotencyKey)])));
}
