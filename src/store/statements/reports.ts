import { sql } from 'kysely';
import { all, one } from '../query/query.ts';
import type { RunRow } from '../rows.ts';

/** What a report on the whole database asks. */
export const reportStatements = {
  /** Of all tenants, the runs that ended as poisoned, the last one first. */
  listPoisonedRuns: all<{ limit: number }, Pick<RunRow, 'id' | 'updatedAt'>>((k, p, d) =>
    k
      .selectFrom('runs')
      .select(['id', 'updated_at as updatedAt'])
      .where('ended', '=', sql.lit(1))
      // Only few outputs have the word, and need to be read as JSON.
      .where('output', 'like', sql.lit('%poisoned%'))
      .where(d.jsonField('output', 'outcome'), '=', sql.lit('poisoned'))
      .orderBy('updated_at', 'desc')
      .limit(p.limit),
  ),
  /** When a run last moved, and a driver joined; null without any. */
  newestMoments: one<Record<string, never>, { run: number | null; driver: number | null }>((k) =>
    k.selectNoFrom((e) => [
      e
        .selectFrom('runs')
        .select((r) => r.fn.max<number | null>('updated_at').as('at'))
        .as('run'),
      e
        .selectFrom('drivers')
        .select((r) => r.fn.max<number | null>('started_at').as('at'))
        .as('driver'),
    ]),
  ),
};
