import type { GrantStatements } from '../../statements/grants.ts';
import type { Queries } from './query.ts';

export const grantQueries = {
  insertGrant: [
    'get',
    (k, p) =>
      k
        .insertInto('grants')
        .values((e) => ({
          session_pk: p.session,
          n: e
            .selectFrom('grants')
            .select((g) => g(g.fn.coalesce(g.fn.max<number>('n'), g.lit(0)), '+', g.lit(1)).as('next'))
            .where('session_pk', '=', p.session)
            .$asScalar()
            .$notNull(),
          tenant_id: p.tenant,
          tool: p.tool,
          pattern: p.pattern,
          by: p.by,
          run_id: p.runId,
          call: p.call,
          at: p.at,
          revoked_at: null,
        }))
        .returning('n'),
  ],
  listGrants: [
    'all',
    (k, p) =>
      k
        .selectFrom('grants')
        .select(['session_pk as session', 'n', 'tool', 'pattern', 'by', 'run_id as runId', 'call', 'at'])
        .where('session_pk', '=', p.session)
        .where('revoked_at', 'is', null)
        .orderBy('n'),
  ],
  revokeGrant: [
    'run',
    (k, p) =>
      k
        .updateTable('grants')
        .set({ revoked_at: p.at })
        .where('session_pk', '=', p.session)
        .where('n', '=', p.n)
        .where('revoked_at', 'is', null),
  ],
} satisfies Queries<GrantStatements>;
