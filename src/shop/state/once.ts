import { createHash } from 'node:crypto';
import { DetentError } from '../../protocol/error.ts';
import { ShopDenied } from '../rules/denied.ts';
import type { ShopWrite } from '../shop-api.ts';
import { inOneCommit, type ShopFile } from './shop-file.ts';

type Kept = { ok: unknown } | { denied: string; words: string };

/**
 * Performs a change once for its key, and keeps its answer in the same commit: a repeat gets that answer, also when it was a denial.
 *
 * @param request what is asked for, without what may differ between repeats.
 * @throws DetentError `KEY_REUSED` for another request under the key.
 */
export function once<T>(db: ShopFile, write: ShopWrite, request: unknown, work: () => T): T {
  const { tenantId } = write.principal;
  const hash = hashOf([write.principal.userId ?? `session ${write.sessionId}`, request]);
  const kept = inOneCommit(db, (): Kept => {
    const row = db
      .prepare<[number, string], { request: string; answer: string }>(
        'select request, answer from answers where tenant = ? and key = ?',
      )
      .get(tenantId, write.key);
    if (row && row.request !== hash)
      throw new DetentError('KEY_REUSED', 'another change was made under this key: use a new one');
    if (row) return JSON.parse(row.answer);
    const answer = attempted(db, work);
    db.prepare('insert into answers values (?, ?, ?, ?, ?)').run(
      tenantId,
      write.key,
      hash,
      JSON.stringify(answer),
      write.principal.userId,
    );
    return answer;
  });
  if ('denied' in kept) throw new ShopDenied(kept.denied, kept.words);
  return kept.ok as T;
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
  return createHash('sha256').update(JSON.stringify(value, inOrder)).digest('hex');
}

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
