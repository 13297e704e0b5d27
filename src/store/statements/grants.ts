import { add, all, change, columnsOf, valuesOf } from '../query/query.ts';
import type { GrantRow, Scoped } from '../rows.ts';

/** Approvals for the rest of a session. */
export const grantStatements = {
  /** Inserts a grant under the next number of its session. */
  insertGrant: add<Omit<GrantRow, 'n'> & Scoped, { n: number }>((k, p) =>
    k
      .insertInto('grants')
      .values((e) => ({
        ...valuesOf('grants', p, ['n']),
        n: e
          .selectFrom('grants')
          .select((g) => g(g.fn.coalesce(g.fn.max<number>('n'), g.lit(0)), '+', g.lit(1)).as('next'))
          .where('session_pk', '=', p.session)
          .$asScalar()
          .$notNull(),
        revoked_at: null,
      }))
      .returning('n'),
  ),
  /** The grants in force, oldest first. */
  listGrants: all<{ session: number }, GrantRow>((k, p) =>
    k
      .selectFrom('grants')
      .select(columnsOf('grants'))
      .where('session_pk', '=', p.session)
      .where('revoked_at', 'is', null)
      .orderBy('n'),
  ),
  /** Keeps the row, so its number is not reused. 0 if the grant is not in force. */
  revokeGrant: change<{ session: number; n: number; at: number }>((k, p) =>
    k
      .updateTable('grants')
      .set({ revoked_at: p.at })
      .where('session_pk', '=', p.session)
      .where('n', '=', p.n)
      .where('revoked_at', 'is', null),
  ),
};
