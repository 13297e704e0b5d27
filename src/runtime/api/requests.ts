import { defaultTenant } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import type { JsonValue } from '../../protocol/json.ts';
import { shown } from '../../protocol/json.ts';
import { hex, sha256 } from '../../text/ids.ts';
import type { Core } from '../config/core.ts';

/** A request of a client that may come several times. */
export interface RepeatedRequest {
  /** The client's key for the request, 1 to 200 characters. */
  key: string;
  /** The kind of request: the same key under another name is another request. */
  name: string;
  /** Everything that decides what the work does, as JSON: the same key with another body is refused. */
  body?: unknown;
  /** The owner: a key counts for one user of one tenant. Default: tenant 1, no user in particular. */
  principal?: { tenantId?: number; userId?: string | null };
  /**
   * Whether the work may run again if its process died before it had an answer. Set it to true if a second time has no
   * effect. Default false: the request is then refused with `OUTCOME_UNKNOWN`.
   */
  isRepeatable?: boolean;
}

/** Work that is done once for each key of a client. */
export interface DetentRequests {
  /**
   * Does the work of a request, or returns its earlier answer: for 24 hours, after a restart, and in any process of the
   * database. Simultaneous requests share one answer. Failed work is forgotten and may be requested again. Of one user
   * the newest 100,000 keys are kept.
   *
   * Throws `INVALID_ARGUMENTS`, `IDEMPOTENCY_CONFLICT`, `OUTCOME_UNKNOWN`, `REQUEST_UNDER_WAY`, and what the work throws.
   *
   * @param work gets an id that is the same for each repetition: pass it on as a key of your own, or as the `requestId` of one
   * operation of the Detent. Its answer must be JSON.
   * @param answerOf makes the answer from the stored result of that operation, if the process died after the operation
   * and before it answered
   * @example
   * ```ts
   * const body = { order: 7 };
   * const paid = await detent.requests.once({ key: 'k1', name: 'pay', body }, async () => ({ ok: true }));
   * ```
   */
  once<T>(
    request: RepeatedRequest,
    work: (id: string) => Promise<T>,
    answerOf?: (effect: JsonValue) => T | Promise<T>,
  ): Promise<T>;
}

const maxKeyLength = 200;

/**
 * @param core opens the parts on first use.
 *
 * @internal
 */
export function requestsApi(core: () => Promise<Core>): DetentRequests {
  return {
    async once(request, work, answerOf) {
      const { key, name, body = null, principal = {}, isRepeatable = false } = request;
      if (typeof key !== 'string' || key === '' || key.length > maxKeyLength)
        throw new DetentError(
          'INVALID_ARGUMENTS',
          `the key of a request has 1 to ${maxKeyLength} characters: ${shown(key)}`,
        );
      const { tenantId: tenant = defaultTenant, userId = null } = principal;
      const { canonical } = await import('../requests/request-digest.ts');
      const owner = JSON.stringify(userId);
      const id = hex(sha256(JSON.stringify([owner, name, key])));
      const digest = hex(sha256(canonical(body)));
      const { requests } = await core();
      const perform = () => work(id);
      return requests.once(
        { tenant, name: id, owner, digest, isRepeatable },
        { perform, ...(answerOf && { answerOf }) },
      );
    },
  };
}
