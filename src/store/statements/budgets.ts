import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../query/database.ts';
import { all, change, columnsOf, one, valuesOf } from '../query/query.ts';
import type { BudgetKey, BudgetRow, HoldRow, Scoped } from '../rows.ts';

/** Whether a name is that of a user's account. */
const accounts = (id: Expression<string>) => sql<boolean>`${id} like '%:%'`;

type Budgets = ExpressionBuilder<Database, 'budgets'>;

/** The holds of a budget in one period. */
const holdsOf = (e: Budgets, now: never) =>
  e
    .selectFrom('budget_holds')
    .whereRef('budget_holds.tenant_id', '=', 'budgets.tenant_id')
    .where((h) => {
      const id = h.ref('budgets.id');
      const held = h.ref('budget_holds.budget');
      // Of a budget for each user, the sum of all has the holds of its accounts, too.
      return h.or([
        h(held, '=', id),
        h.and([
          h(held, '>', sql<string>`${id} || ':'`),
          h(held, '<', sql<string>`${id} || ';'`),
          h.not(accounts(id)),
        ]),
      ]);
    })
    .whereRef('budget_holds.period', '=', 'budgets.period')
    .where('budget_holds.expires_at', '>', now);

const heldColumns = (held: SelectQueryBuilder<Database, 'budgets' | 'budget_holds', object>) =>
  [
    held
      .select((e) => e.fn.coalesce(e.fn.sum<number>('tokens'), e.lit(0)).as('sum'))
      .$asScalar()
      .$notNull()
      .as('heldTokens'),
    held
      .select((e) => e.fn.coalesce(e.fn.sum<number>('cost_usd'), e.lit(0)).as('sum'))
      .$asScalar()
      .$notNull()
      .as('heldCostUsd'),
    held
      .select((e) => e.fn.countAll<number>().as('count'))
      .$asScalar()
      .$notNull()
      .as('holds'),
  ] as const;

/** Budgets that runs share, and the holds of calls in flight. */
export const budgetStatements = {
  /** Creates a period of a budget, or updates its limits. */
  ensureBudget: change<Scoped & BudgetKey & Pick<BudgetRow, 'maxTokens' | 'maxCostUsd'> & { at: number }>(
    (k, p) =>
      k
        .insertInto('budgets')
        .values({
          tenant_id: p.tenant,
          id: p.id,
          period: p.period,
          max_tokens: p.maxTokens,
          max_cost_usd: p.maxCostUsd,
          spent_tokens: 0,
          spent_cost_usd: 0,
          created_at: p.at,
          updated_at: p.at,
        })
        .onConflict((c) =>
          c
            .columns(['tenant_id', 'id', 'period'])
            .doUpdateSet({ max_tokens: p.maxTokens, max_cost_usd: p.maxCostUsd, updated_at: p.at }),
        ),
  ),
  /** Does not count the hold of effect `n` of `run`. */
  findBudget: one<Scoped & BudgetKey & { now: number; run: number; n: number }, BudgetRow>(
    (k, p) =>
      k
        .selectFrom('budgets')
        .select(columnsOf('budgets'))
        .select((e) =>
          heldColumns(holdsOf(e, p.now).where((h) => h.or([h('run_pk', '!=', p.run), h('n', '!=', p.n)]))),
        )
        .where('tenant_id', '=', p.tenant)
        .where('id', '=', p.id)
        .where('period', '=', p.period),
    'no key update of budgets',
  ),
  /** Budgets of three periods: the empty one, a `day` and a `month`. */
  listBudgets: all<Scoped & { day: string; month: string; now: number }, BudgetRow>((k, p) =>
    k
      .selectFrom('budgets')
      .select(columnsOf('budgets'))
      .select((e) => heldColumns(holdsOf(e, p.now)))
      .where('tenant_id', '=', p.tenant)
      .where((e) => e.or([e('period', '=', ''), e('period', '=', p.day), e('period', '=', p.month)]))
      .where((e) => e.not(accounts(e.ref('id'))))
      .orderBy('id')
      .orderBy('period'),
  ),
  /** The accounts of users of a budget in one period: those that spent most, first. */
  listAccounts: all<Scoped & BudgetKey & { now: number; limit: number }, BudgetRow>((k, p) =>
    k
      .selectFrom('budgets')
      .select(columnsOf('budgets'))
      .select((e) => heldColumns(holdsOf(e, p.now)))
      .where('tenant_id', '=', p.tenant)
      .where('id', '>', sql<string>`${p.id} || ':'`)
      .where('id', '<', sql<string>`${p.id} || ';'`)
      .where('period', '=', p.period)
      .orderBy('spent_tokens', 'desc')
      .orderBy('id')
      .limit(p.limit),
  ),
  spendBudget: change<Scoped & BudgetKey & { tokens: number; costUsd: number; at: number }>((k, p) =>
    k
      .updateTable('budgets')
      .set((e) => ({
        spent_tokens: e('spent_tokens', '+', p.tokens),
        spent_cost_usd: e('spent_cost_usd', '+', p.costUsd),
        updated_at: p.at,
      }))
      .where('tenant_id', '=', p.tenant)
      .where('id', '=', p.id)
      .where('period', '=', p.period),
  ),
  /** Replaces an earlier hold for the same effect. */
  putHold: change<HoldRow & Scoped>((k, p) =>
    k
      .insertInto('budget_holds')
      .values(valuesOf('budget_holds', p))
      .onConflict((c) =>
        c.columns(['run_pk', 'n']).doUpdateSet({
          budget: p.budget,
          period: p.period,
          tokens: p.tokens,
          cost_usd: p.costUsd,
          least_tokens: p.leastTokens,
          least_cost_usd: p.leastCostUsd,
          expires_at: p.expiresAt,
        }),
      ),
  ),
  findHold: one<{ run: number; n: number }, HoldRow>((k, p) =>
    k
      .selectFrom('budget_holds')
      .select(columnsOf('budget_holds'))
      .where('run_pk', '=', p.run)
      .where('n', '=', p.n),
  ),
  deleteHold: change<{ run: number; n: number }>((k, p) =>
    k.deleteFrom('budget_holds').where('run_pk', '=', p.run).where('n', '=', p.n),
  ),
  listHoldsOf: all<{ run: number }, HoldRow>((k, p) =>
    k.selectFrom('budget_holds').select(columnsOf('budget_holds')).where('run_pk', '=', p.run),
  ),
  deleteHoldsOf: change<{ run: number }>((k, p) => k.deleteFrom('budget_holds').where('run_pk', '=', p.run)),
  /** Deletes the holds of a driver's runs. */
  deleteHoldsOfDriver: change<{ driver: number }>((k, p) =>
    k
      // Reads the holds, which are of calls in flight, and looks their runs up: there are far more runs.
      .deleteFrom('budget_holds')
      .where((e) =>
        e.exists(
          e
            .selectFrom('runs')
            .select('runs.pk')
            .whereRef('runs.pk', '=', 'budget_holds.run_pk')
            .where('runs.driver', '=', p.driver),
        ),
      ),
  ),
};
