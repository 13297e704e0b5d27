import { type Ask, request } from '../store/program.ts';
import type {
  BudgetStatements,
  CommandStatements,
  DriverStatements,
  EffectStatements,
  EventStatements,
  MessageStatements,
  RunStatements,
  SessionStatements,
  TimerStatements,
} from '../store/statements.ts';
import type { Store as StoreOf } from '../store/store.ts';

/** The statements that the engine uses. It moves runs, and knows nothing of models, tools or budgets. */
export interface EngineStatements
  extends Omit<
      RunStatements,
      | 'findRunOwner'
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
    Pick<EventStatements, 'insertEvent' | 'findEventByKey' | 'listEvents'>,
    Omit<EffectStatements, 'changeEffectInput' | 'listEffects'>,
    TimerStatements,
    Pick<SessionStatements, 'findSession' | 'insertSession'>,
    Pick<MessageStatements, 'pageMessagesOfRun'>,
    Omit<DriverStatements, 'insertDriver'>,
    Pick<CommandStatements, 'insertCommand' | 'settleCommand'>,
    Pick<BudgetStatements, 'deleteHoldsOfDriver'> {}

/** A store with the engine's statements, or with those named by `K`. */
export type Store<K extends keyof EngineStatements = keyof EngineStatements> = StoreOf<
  Pick<EngineStatements, K>
>;

/** Asks one of the engine's statements: `const row = yield* ask('loadRun', { tenant, id })`. */
export const ask: Ask<EngineStatements> = request;
