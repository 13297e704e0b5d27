import { type Ask, order, request, type Tell } from '../../store/program.ts';
import type { StatementsOf } from '../../store/statements.ts';
import type { Store as StoreOf } from '../../store/store.ts';

/** The statements of scheduled jobs. */
interface JobsStatements
  extends StatementsOf<'jobs' | 'runs' | 'effects' | 'sessions' | 'messages' | 'tenants'> {}

export type Store = StoreOf<JobsStatements>;

/** Asks one of these statements. */
export const ask: Ask<JobsStatements> = request;
/** Tells one of them, where nobody needs the answer. */
export const tell: Tell<JobsStatements> = order;
