import { type Ask, request } from '../store/program.ts';
import type {
  ConfirmationStatements,
  EffectStatements,
  EventStatements,
  RunStatements,
  TimerStatements,
} from '../store/statements.ts';
import type { Store as StoreOf } from '../store/store.ts';

/** The statements of workflows. */
interface WorkflowStatements
  extends RunStatements,
    EffectStatements,
    ConfirmationStatements,
    Pick<EventStatements, 'listEvents'>,
    TimerStatements {}

export type Store = StoreOf<WorkflowStatements>;

/** Asks one of these statements. */
export const ask: Ask<WorkflowStatements> = request;
