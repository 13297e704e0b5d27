import { all, change, columnsOf, valuesOf } from '../query/query.ts';
import type { Row, Scoped } from '../rows.ts';

/** What users say of answers. */
export const ratingStatements = {
  /** Keeps one for an answer: a later one takes its place. */
  putRating: change<Row<'ratings'> & Scoped>((k, p) =>
    k
      .insertInto('ratings')
      .values(valuesOf('ratings', p))
      .onConflict((c) =>
        c.columns(['run_pk', 'seq']).doUpdateSet({ thumb: p.thumb, reason: p.reason, by: p.by, at: p.at }),
      ),
  ),
  listRatings: all<{ session: number }, Row<'ratings'>>((k, p) =>
    k.selectFrom('ratings').select(columnsOf('ratings')).where('session_pk', '=', p.session),
  ),
};
