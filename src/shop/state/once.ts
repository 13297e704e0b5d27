import { DetentError } from '../../protocol/error.ts';
import { hex, sha256 } from '../../text/ids.ts';
import { ShopDenied } from '../rules/denied.ts';
import type { ShopCall, ShopWrite } from '../shop-api.ts';
import { inOneCommit, type ShopFile } from './shop-file.ts';

export type Kept = { ok: unknown } | { denied: string; words: string };
type Keyed = Pick<ShopWrite, 'principal' | 'key'>;

/**
 * Performs a change once for its key, and keeps its answer in the same commit: a repeat gets that answer, also when it was a denial.
 *
 * @param request what is asked for, without what may differ between repeats.
 * @throws DetentError `KEY_REUSED` for another request under the key.
 */
export function once<T>(db: ShopFile, write: ShopWrite, request: unknown, work: () => T): T {
  const hash = requestHash(write, request);
  const kept = inOneCommit(db, (): Kept => {
    const before = recall(db, write, hash);
    if (before) return before;
    const answer = attempted(db, work);
    keep(db, write, hash, answer);
    return answer;
  });
  return answerOf(kept);
}

/** What is kept under the key of a change; null when it was not made yet. @throws DetentError `KEY_REUSED`. */
export function recall(db: ShopFile, { principal, key }: Keyed, hash: string): Kept | null {
  const row = db
    .prepare<[number, string], { request: string; answer: string }>(
      'select request, answer from answers where tenant = ? and key = ?',
    )
    .get(principal.tenantId, key);
  if (row && row.request !== hash)
    throw new DetentError('KEY_REUSED', 'this key was used for another change: use a new one');
  return row ? JSON.parse(row.answer) : null;
}

/** In the commit of the change. */
export function keep(db: ShopFile, { principal, key }: Keyed, hash: string, answer: Kept): void {
  db.prepare('insert into answers values (?, ?, ?, ?, ?)').run(
    principal.tenantId,
    key,
    hash,
    JSON.stringify(answer),
    principal.userId,
  );
}

/** @throws ShopDenied a denial that was kept. */
export function answerOf<T>(kept: Kept): T {
  if ('denied' in kept) throw new ShopDenied(kept.denied, kept.words);
  return kept.ok as T;
}

export function requestHash({ principal, sessionId }: ShopCall, request: unknown): string {
  return hashOf([principal.userId ?? `session ${sessionId}`, request]);
}

/** A denial takes back what was written before it. */
function attempted(db: ShopFile, work: () => unknown): Kept {
  try {
    return { ok: db.transaction(work)() };
  } catch (error) {
    if (error instanceof ShopDenied) return { denied: error.code, words: error.message };
    throw error;
  }
}

/** Equal for equal JSON, whatever the order of its fields. */
export function hashOf(value: unknown): string {
  return hex(sha256(JSON.stringify(value, inOrder)));
}

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
