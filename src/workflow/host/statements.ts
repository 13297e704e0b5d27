import { type Ask, request } from '../../store/program.ts';
import type { Statements, StatementsOf } from '../../store/statements.ts';
import type { Store as StoreOf } from '../../store/store.ts';

/** The statements of workflows. */
interface WorkflowStatements
  extends StatementsOf<'runs' | 'effects' | 'confirmations' | 'timers'>,
    Pick<Statements, 'listEvents'> {}

export type Store = StoreOf<WorkflowStatements>;

/** Asks one of these statements. */
export const ask: Ask<WorkflowStatements> = request;
