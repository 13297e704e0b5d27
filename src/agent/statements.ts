import { type Ask, request } from '../store/program.ts';
import type {
  ArtifactStatements,
  BudgetStatements,
  CachedAnswerStatements,
  ConfirmationStatements,
  EffectStatements,
  EventStatements,
  GrantStatements,
  MessageStatements,
  RunStatements,
  SessionStatements,
  UsageStatements,
} from '../store/statements.ts';
import type { Store as StoreOf } from '../store/store.ts';

/** The statements of an agent's effects. None of them changes a run's state: only the engine does. */
interface AgentStatements
  extends MessageStatements,
    ArtifactStatements,
    ConfirmationStatements,
    GrantStatements,
    BudgetStatements,
    CachedAnswerStatements,
    Pick<UsageStatements, 'insertUsage'>,
    Pick<EffectStatements, 'findEffect' | 'changeEffectInput' | 'closeEffect'>,
    Pick<EventStatements, 'listEvents'>,
    Pick<RunStatements, 'listRunsOf' | 'loadRun' | 'changeRunOptions'>,
    Omit<SessionStatements, 'listSessions' | 'deleteRunsOf' | 'deleteSession'> {}

/** A store with these statements, or some of them: another room passes its own store to code that names what it needs. */
export type Store<K extends keyof AgentStatements = keyof AgentStatements> = StoreOf<
  Pick<AgentStatements, K>
>;

/** Asks one of the agent's statements: `yield* ask('insertMessage', { … })`. */
export const ask: Ask<AgentStatements> = request;
