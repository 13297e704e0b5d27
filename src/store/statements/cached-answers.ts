import { change, one } from '../query/query.ts';
import type { Scoped } from '../rows.ts';

/** The cache of model answers. */
export const cachedAnswerStatements = {
  /** Finds an answer not older than `since`. */
  findAnswer: one<Scoped & { key: string; since: number }, { answer: string; at: number }>((k, p) =>
    k
      .selectFrom('cached_answers')
      .select(['answer', 'at'])
      .where('tenant_id', '=', p.tenant)
      .where('key', '=', p.key)
      .where('at', '>=', p.since),
  ),
  /** Replaces an earlier answer with the same key. */
  putAnswer: change<Scoped & { key: string; answer: string; at: number }>((k, p) =>
    k
      .insertInto('cached_answers')
      .values({ tenant_id: p.tenant, key: p.key, answer: p.answer, at: p.at })
      .onConflict((c) => c.columns(['tenant_id', 'key']).doUpdateSet({ answer: p.answer, at: p.at })),
  ),
  /** Deletes answers of all tenants: only drivers call it. */
  deleteAnswersBefore: change<{ before: number }>((k, p) =>
    k.deleteFrom('cached_answers').where('at', '<', p.before),
  ),
  deleteAnswersOf: change<Scoped>((k, p) => k.deleteFrom('cached_answers').where('tenant_id', '=', p.tenant)),
};
