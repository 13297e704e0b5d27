import { type Ask, order, request, type Tell } from '../../store/program.ts';
import type { Statements, StatementsOf } from '../../store/statements.ts';
import type { Store as StoreOf } from '../../store/store.ts';

/** The statements that serve people: they read, copy, import and delete runs and sessions. No budgets. */
export interface RunsStatements
  extends StatementsOf<
      | 'ratings'
      | 'sessions'
      | 'runs'
      | 'events'
      | 'effects'
      | 'messages'
      | 'confirmations'
      | 'artifacts'
      | 'commands'
    >,
    StatementsOf<'users'>,
    Pick<Statements, 'ensureBudget' | 'spendBudget' | 'listAccessTokens' | 'findUpload'>,
    Pick<Statements, 'setTimer' | 'listTimers' | 'listGrants' | 'revokeGrant' | 'findDriver'>,
    Pick<Statements, 'findRequestKey' | 'insertRequestKey'>,
    Pick<
      Statements,
      'forgetRunUsage' | 'forgetSessionUsage' | 'sumUsage' | 'findPricedCall' | 'deleteAnswersOf'
    > {}

export type Store = StoreOf<RunsStatements>;

/** Asks one of these statements: `const row = yield* ask('loadRun', { tenant, id })`. */
export const ask: Ask<RunsStatements> = request;
/** Tells one of them, where nobody needs the answer. */
export const tell: Tell<RunsStatements> = order;
