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
    ]);

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
        })
        .onConflict((c) =>
          c.columns(['run_pk', 'call', 'n']).doUpdateSet({
            kind: p.kind,
            hash: p.hash,
            body: p.body,
            decision: null,
            asked_at: p.askedAt,
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
} satisfies Queries<ConfirmationStatements>;
