import { type Ask, request } from '../store/program.ts';
import type { ArtifactStatements } from '../store/statements/artifacts.ts';
import type { BudgetStatements } from '../store/statements/budgets.ts';
import type { CachedAnswerStatements } from '../store/statements/cached-answers.ts';
import type { ConfirmationStatements } from '../store/statements/confirmations.ts';
import type { EffectStatements } from '../store/statements/effects.ts';
import type { EventStatements } from '../store/statements/events.ts';
import type { GrantStatements } from '../store/statements/grants.ts';
import type { MessageStatements } from '../store/statements/messages.ts';
import type { RunStatements } from '../store/statements/runs.ts';
import type { SessionStatements } from '../store/statements/sessions.ts';
import type { UsageStatements } from '../store/statements/usage.ts';
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
