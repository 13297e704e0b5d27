import { type Kysely, sql } from 'kysely';
import type { Database } from '../query/database.ts';
import { all, change, columnsOf, one, valuesOf } from '../query/query.ts';
import type { ConfirmationRow, ConfirmationStatus, Scoped, UntoldRow } from '../rows.ts';

const confirmations = (k: Kysely<Database>) =>
  k.selectFrom('confirmations').select(columnsOf('confirmations'));

/** The term of the index, word for word. */
const isUntold = sql<boolean>`((told = 0 and status = 'open') or (told = 1 and status <> 'open'))`;

/** What a question has not when it is asked. */
type Unasked = 'n' | 'status' | 'decision' | 'told' | 'holder' | 'heldUntil';

/** The questions of a run to people. */
export const confirmationStatements = {
  /** Asks about a call. It replaces an undecided question about the call; decided ones stay. */
  insertConfirmation: change<Omit<ConfirmationRow, Unasked> & Scoped>((k, p) =>
    k
      .insertInto('confirmations')
      .values({
        ...valuesOf('confirmations', p, ['n', 'status', 'decision', 'told', 'holder', 'held_until']),
        // The number of the open question, or the next number.
        n: (query) =>
          query
            .selectFrom('confirmations')
            .select(sql<number>`coalesce(max(case status when 'open' then n else n + 1 end), 1)`.as('n'))
            .where('run_pk', '=', p.run)
            .where('call', '=', p.call),
        status: 'open',
        decision: null,
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
          holder: null,
          held_until: null,
        }),
      ),
  ),
  /** The first answer wins: 0 if the question is not open. */
  decideConfirmation: change<{ run: number; call: number; status: ConfirmationStatus; decision: string }>(
    (k, p) =>
      k
        .updateTable('confirmations')
        .set({ status: p.status, decision: p.decision })
        .where('run_pk', '=', p.run)
        .where('call', '=', p.call)
        .where('status', '=', 'open'),
  ),
  /** 0 if the question is not open, or someone else holds the call. */
  holdCall: change<{ run: number; call: number; holder: string; until: number; now: number }>((k, p) =>
    k
      .updateTable('confirmations')
      .set({ holder: p.holder, held_until: p.until })
      .where('run_pk', '=', p.run)
      .where('call', '=', p.call)
      .where('status', '=', 'open')
      .where((e) =>
        e.or([e('holder', 'is', null), e('holder', '=', p.holder), e('held_until', '<=', p.now)]),
      ),
  ),
  /** 0 if this one does not hold the call. */
  releaseCall: change<{ run: number; call: number; holder: string }>((k, p) =>
    k
      .updateTable('confirmations')
      .set({ holder: null, held_until: null })
      .where('run_pk', '=', p.run)
      .where('call', '=', p.call)
      .where('status', '=', 'open')
      .where('holder', '=', p.holder),
  ),
  /** The newest question about a call. */
  findConfirmation: one<{ run: number; call: number }, ConfirmationRow>(
    (k, p) =>
      confirmations(k).where('run_pk', '=', p.run).where('call', '=', p.call).orderBy('n', 'desc').limit(1),
    'no key update',
  ),
  /** By call, oldest first. */
  listConfirmations: all<{ run: number }, ConfirmationRow>(
    (k, p) => confirmations(k).where('run_pk', '=', p.run).orderBy('call').orderBy('n'),
    'no key update',
  ),
  /** Of runs of all tenants: open ones of which no hook was told, and decided ones whose asking was told. By run and call. */
  listUntold: all<{ after: number; limit: number }, UntoldRow>((k, p) =>
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
  ),
  markTold: change<{ run: number; call: number; n: number; told: 1 | 2 }>((k, p) =>
    k
      .updateTable('confirmations')
      .set({ told: p.told })
      .where('run_pk', '=', p.run)
      .where('call', '=', p.call)
      .where('n', '=', p.n),
  ),
};
