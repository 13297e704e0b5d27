import { type Ask, order, request, type Tell } from '../../store/program.ts';
import type { Statements, StatementsOf } from '../../store/statements.ts';
import type { Store as StoreOf } from '../../store/store.ts';

/** The statements of an agent's effects. None of them changes a run's state: only the engine does. */
interface AgentStatements
  extends StatementsOf<'messages' | 'artifacts' | 'confirmations' | 'grants' | 'budgets' | 'cachedAnswers'>,
    Pick<
      Statements,
      'insertUsage' | 'sumUsage' | 'findEffect' | 'changeEffectInput' | 'closeEffect' | 'listEvents'
    >,
    Pick<Statements, 'listRunsOf' | 'loadRun' | 'changeRunOptions'>,
    Omit<StatementsOf<'sessions'>, 'listSessions' | 'deleteRunsOf' | 'deleteSession'> {}

/** A store with these statements, or some of them: another room passes its own store to code that names what it needs. */
export type Store<K extends keyof AgentStatements = keyof AgentStatements> = StoreOf<
  Pick<AgentStatements, K>
>;

/** Asks one of the agent's statements: `yield* ask('loadRun', { … })`. */
export const ask: Ask<AgentStatements> = request;
/** Tells one of them: `yield* tell('insertUsage', { … })`. */
export const tell: Tell<AgentStatements> = order;
