import { type Ask, request } from '../store/program.ts';
import type {
  ArtifactStatements,
  CachedAnswerStatements,
  CommandStatements,
  ConfirmationStatements,
  DriverStatements,
  EffectStatements,
  EventStatements,
  GrantStatements,
  MessageStatements,
  RunStatements,
  SessionStatements,
  TimerStatements,
  UsageStatements,
} from '../store/statements.ts';
import type { Store as StoreOf } from '../store/store.ts';

/** The statements that serve people: they read, copy, import and delete runs and sessions. No budgets. */
export interface RunsStatements
  extends SessionStatements,
    RunStatements,
    EventStatements,
    EffectStatements,
    MessageStatements,
    ConfirmationStatements,
    ArtifactStatements,
    Pick<TimerStatements, 'setTimer' | 'listTimers'>,
    Pick<GrantStatements, 'listGrants' | 'revokeGrant'>,
    Pick<UsageStatements, 'forgetRunUsage' | 'forgetSessionUsage' | 'sumUsage'>,
    Pick<CachedAnswerStatements, 'deleteAnswersOf'>,
    CommandStatements,
    Pick<DriverStatements, 'findDriver'> {}

export type Store = StoreOf<RunsStatements>;

/** Asks one of these statements: `const row = yield* ask('loadRun', { tenant, id })`. */
export const ask: Ask<RunsStatements> = request;
