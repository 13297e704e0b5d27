import { type Ask, order, request, type Tell } from '../../store/program.ts';
import type { Statements, StatementsOf } from '../../store/statements.ts';
import type { Store as StoreOf } from '../../store/store.ts';

/** The statements that the engine uses. It moves runs, and knows nothing of models, tools or budgets. */
export interface EngineStatements
  extends Omit<
      StatementsOf<'runs'>,
      | 'findRunOwner'
      | 'findTakeover'
      | 'listAbandonedRuns'
      | 'claimWanted'
      | 'claimDue'
      | 'restRuns'
      | 'findRunBeyond'
      | 'listActiveRuns'
      | 'listRuns'
      | 'listRunsBefore'
      | 'listUserRunsBefore'
      | 'countActiveRuns'
      | 'countEndedRuns'
      | 'newestRun'
      | 'listRunIds'
      | 'listRunsOf'
      | 'listRunMarks'
      | 'listLeftJobRuns'
      | 'changeRunOptions'
      | 'deleteRun'
    >,
    Omit<StatementsOf<'effects'>, 'changeEffectInput' | 'copyEffects'>,
    Omit<StatementsOf<'drivers'>, 'insertDriver'>,
    StatementsOf<'timers'>,
    Pick<Statements, 'insertEvent' | 'listEvents' | 'pageMessagesOfRun'>,
    Pick<Statements, 'findLeaving' | 'findSession' | 'insertSession' | 'insertCommand' | 'settleCommand'>,
    Pick<Statements, 'findRequestKey' | 'insertRequestKey' | 'noteRequestKey' | 'deleteHoldsOfDriver'> {}

/** A store with the engine's statements, or with those named by `K`. */
export type Store<K extends keyof EngineStatements = keyof EngineStatements> = StoreOf<
  Pick<EngineStatements, K>
>;

/** Asks one of the engine's statements: `const row = yield* ask('loadRun', { tenant, id })`. */
export const ask: Ask<EngineStatements> = request;
/** Tells one of them: `yield* tell('clearTimer', { run, id })`. */
export const tell: Tell<EngineStatements> = order;
