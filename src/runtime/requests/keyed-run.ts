import { defaultTenant } from '../../protocol/access.ts';
import { idOf } from '../../text/ids.ts';
import type { RunRequest } from '../config/request.ts';

/** The id of the run that a request's key names: the same for each request of that user with it, in every process. */
export function runIdOf({ idempotencyKey, principal }: RunRequest, hash: Hash = sha256): string {
  const { tenantId = defaultTenant, userId = null } = principal ?? {};
  return idOf('run', hash(JSON.stringify([tenantId, userId, String(idempotencyKey)])));
}

/** SHA-256. Without Node a host has another one. */
export type Hash = (data: string | Uint8Array) => Uint8Array;

/** Node's own, loaded when a key is used. */
export function sha256(data: string | Uint8Array): Buffer {
  return process.getBuiltinModule('node:crypto').hash('sha256', data, 'buffer');
}
