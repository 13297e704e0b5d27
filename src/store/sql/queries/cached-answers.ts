import type { CachedAnswerStatements } from '../../statements/cached-answers.ts';
import type { Queries } from './query.ts';

export const cachedAnswerQueries = {
  findAnswer: [
    'get',
    (k, p) =>
      k
        .selectFrom('cached_answers')
        .select(['answer', 'at'])
        .where('tenant_id', '=', p.tenant)
        .where('key', '=', p.key)
        .where('at', '>=', p.since),
  ],
  putAnswer: [
    'run',
    (k, p) =>
      k
        .insertInto('cached_answers')
        .values({ tenant_id: p.tenant, key: p.key, answer: p.answer, at: p.at })
        .onConflict((c) => c.columns(['tenant_id', 'key']).doUpdateSet({ answer: p.answer, at: p.at })),
  ],
  deleteAnswersBefore: ['run', (k, p) => k.deleteFrom('cached_answers').where('at', '<', p.before)],
  deleteAnswersOf: ['run', (k, p) => k.deleteFrom('cached_answers').where('tenant_id', '=', p.tenant)],
} satisfies Queries<CachedAnswerStatements>;
