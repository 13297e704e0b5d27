import { DetentError } from '../../protocol/error.ts';
import { hex, sha256 } from '../../text/ids.ts';
import { outputJsonSchema } from '../../tools/registry.ts';
import type { RunRequest } from '../config/request.ts';

/** Longest key: enough for a UUID with a prefix, or the id of a message. */
const maxKeyLength = 200;

/**
 * A digest of what a request asks for, to tell a repeated request from another one with the same key.
 *
 * @throws DetentError `INVALID_REQUEST` when the key is empty or too long, or the request steers a run: a message has no
 * key.
 */
export function requestDigest(prompt: string, request: RunRequest): string {
  // The person who asks does not count: the same request of another person is equal.
  const { idempotencyKey: key = '', requestId: _id, mode, output, by: _by, sessionId, ...rest } = request;
  if (key === '' || key.length > maxKeyLength)
    throw new DetentError('INVALID_REQUEST', `idempotencyKey has 1 to ${maxKeyLength} characters`);
  if (mode === 'steer')
    throw new DetentError(
      'INVALID_REQUEST',
      'idempotencyKey is for new runs: leave it out, or use mode "queue" or "interrupt"',
    );
  const schema = output === undefined ? null : outputJsonSchema(output);
  // Digests are kept with runs, also those that had the session under this name.
  const asked = { prompt, mode: mode ?? 'queue', schema, session: sessionId, ...rest };
  return hex(sha256(canonical(asked)));
}

/** JSON with sorted keys; bytes as their digest. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => {
    if (one instanceof Uint8Array) return { sha256: hex(sha256(one)) };
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one;
    return Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
