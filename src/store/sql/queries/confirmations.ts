import { type Kysely, sql } from 'kysely';
import type { ConfirmationStatements } from '../../statements/confirmations.ts';
import type { Database } from '../schema.ts';
import type { Queries } from './query.ts';

const confirmations = (k: Kysely<Database>) =>
  k
    .selectFrom('confirmations')
    .select([
      'run_pk as run',
      'call',
      'n',
      'kind',
      'status',
      'hash',
      'body',
      'decision',
      'asked_at as askedAt',
      'told',
    ]);

/** The term of the index, word for word. */
const isUntold = sql<boolean>`((told = 0 and status = 'open') or (told = 1 and status <> 'open'))`;

export const confirmationQueries = {
  insertConfirmation: [
    'run',
    (k, p) =>
      k
        .insertInto('confirmations')
        .values({
          run_pk: p.run,
          call: p.call,
          // That of the open question, or the next one.
          n: (query) =>
            query
              .selectFrom('confirmations')
              .select(sql<number>`coalesce(max(n + (status <> 'open')), 1)`.as('n'))
              .where('run_pk', '=', p.run)
              .where('call', '=', p.call),
          tenant_id: p.tenant,
          kind: p.kind,
          status: 'open',
          hash: p.hash,
          body: p.body,
          decision: null,
          asked_at: p.askedAt,
          told: sql.lit(0),
        })
        .onConflict((c) =>
          c.columns(['run_pk', 'call', 'n']).doUpdateSet({
            kind: p.kind,
            hash: p.hash,
            body: p.body,
            decision: null,
            asked_at: p.askedAt,
            told: sql.lit(0),
          }),
        ),
  ],
  decideConfirmation: [
    'run',
    (k, p) =>
      k
        .updateTable('confirmations')
        .set({ status: p.status, decision: p.decision })
        .where('run_pk', '=', p.run)
        .where('call', '=', p.call)
        .where('status', '=', 'open'),
  ],
  findConfirmation: [
    'get',
    (k, p) =>
      confirmations(k).where('run_pk', '=', p.run).where('call', '=', p.call).orderBy('n', 'desc').limit(1),
  ],
  listConfirmations: [
    'all',
    (k, p) => confirmations(k).where('run_pk', '=', p.run).orderBy('call').orderBy('n'),
  ],
  listUntold: [
    'all',
    (k, p) =>
      confirmations(k)
        .innerJoin('runs', 'runs.pk', 'confirmations.run_pk')
        .select(['runs.tenant_id as tenant', 'runs.id as runId', 'runs.last_driver as lastDriver'])
        .where(isUntold)
        .where((e) => e.or([e('runs.ended', '=', sql.lit(0)), e('told', '=', sql.lit(1))]))
        .where('run_pk', '>', p.after)
        .orderBy('run_pk')
        .orderBy('call')
        .orderBy('n')
        .limit(p.limit),
  ],
  markTold: [
    'run',
    (k, p) =>
      k
        .updateTable('confirmations')
        .set({ told: p.told })
        .where('run_pk', '=', p.run)
        .where('call', '=', p.call)
        .where('n', '=', p.n),
  ],
} satisfies Queries<ConfirmationStatements>;
