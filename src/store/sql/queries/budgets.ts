import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely';
import type { BudgetStatements } from '../../statements/budgets.ts';
import type { Database } from '../schema.ts';
import type { Queries } from './query.ts';

type Budgets = ExpressionBuilder<Database, 'budgets'>;

const columns = [
  'id',
  'period',
  'max_tokens as maxTokens',
  'max_cost_usd as maxCostUsd',
  'spent_tokens as spentTokens',
  'spent_cost_usd as spentCostUsd',
  'updated_at as updatedAt',
] as const;

/** The holds of a budget in one period. */
const holdsOf = (e: Budgets, now: never) =>
  e
    .selectFrom('budget_holds')
    .whereRef('budget_holds.tenant_id', '=', 'budgets.tenant_id')
    .whereRef('budget_holds.budget', '=', 'budgets.id')
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

export const budgetQueries = {
  ensureBudget: [
    'run',
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
  ],
  findBudget: [
    'get',
    (k, p) =>
      k
        .selectFrom('budgets')
        .select(columns)
        .select((e) =>
          heldColumns(holdsOf(e, p.now).where((h) => h.or([h('run_pk', '!=', p.run), h('n', '!=', p.n)]))),
        )
        .where('tenant_id', '=', p.tenant)
        .where('id', '=', p.id)
        .where('period', '=', p.period),
  ],
  listBudgets: [
    'all',
    (k, p) =>
      k
        .selectFrom('budgets')
        .select(columns)
        .select((e) => heldColumns(holdsOf(e, p.now)))
        .where('tenant_id', '=', p.tenant)
        .where((e) => e.or([e('period', '=', ''), e('period', '=', p.day), e('period', '=', p.month)]))
        .orderBy('id')
        .orderBy('period'),
  ],
  spendBudget: [
    'run',
    (k, p) =>
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
  ],
  putHold: [
    'run',
    (k, p) =>
      k
        .insertInto('budget_holds')
        .values({
          run_pk: p.run,
          n: p.n,
          tenant_id: p.tenant,
          budget: p.budget,
          period: p.period,
          tokens: p.tokens,
          cost_usd: p.costUsd,
          expires_at: p.expiresAt,
        })
        .onConflict((c) =>
          c.columns(['run_pk', 'n']).doUpdateSet({
            budget: p.budget,
            period: p.period,
            tokens: p.tokens,
            cost_usd: p.costUsd,
            expires_at: p.expiresAt,
          }),
        ),
  ],
  findHold: [
    'get',
    (k, p) =>
      k
        .selectFrom('budget_holds')
        .select([
          'run_pk as run',
          'n',
          'budget',
          'period',
          'tokens',
          'cost_usd as costUsd',
          'expires_at as expiresAt',
        ])
        .where('run_pk', '=', p.run)
        .where('n', '=', p.n),
  ],
  deleteHold: [
    'run',
    (k, p) => k.deleteFrom('budget_holds').where('run_pk', '=', p.run).where('n', '=', p.n),
  ],
  deleteHoldsOfDriver: [
    'run',
    (k, p) =>
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
  ],
  deleteHoldsOf: ['run', (k, p) => k.deleteFrom('budget_holds').where('run_pk', '=', p.run)],
} satisfies Queries<BudgetStatements>;
