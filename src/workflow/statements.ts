import { type Ask, request } from '../store/program.ts';
import type { ConfirmationStatements } from '../store/statements/confirmations.ts';
import type { EffectStatements } from '../store/statements/effects.ts';
import type { EventStatements } from '../store/statements/events.ts';
import type { RunStatements } from '../store/statements/runs.ts';
import type { TimerStatements } from '../store/statements/timers.ts';
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
