import { type Ask, request } from '../../store/program.ts';
import type { EffectStatements } from '../../store/statements/effects.ts';
import type { JobStatements } from '../../store/statements/jobs.ts';
import type { MessageStatements } from '../../store/statements/messages.ts';
import type { RunStatements } from '../../store/statements/runs.ts';
import type { SessionStatements } from '../../store/statements/sessions.ts';
import type { Store as StoreOf } from '../../store/store.ts';

/** The statements of scheduled jobs. */
interface JobsStatements
  extends JobStatements,
    RunStatements,
    EffectStatements,
    SessionStatements,
    MessageStatements {}

export type Store = StoreOf<JobsStatements>;

/** Asks one of these statements. */
export const ask: Ask<JobsStatements> = request;
