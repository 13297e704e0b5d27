import { type Ask, order, request, type Tell } from '../store/program.ts';
import type { Statements, StatementsOf } from '../store/statements.ts';
import type { Store as StoreOf } from '../store/store.ts';

/** The statements of calls: what asks about them, performs them and stores their results. */
interface CallStatements
  extends StatementsOf<'artifacts' | 'confirmations' | 'grants'>,
    Pick<Statements, 'findEffect' | 'changeEffectInput' | 'closeEffect' | 'loadRun' | 'changeRunOptions'>,
    Pick<Statements, 'findSession' | 'insertMessage' | 'pageMessagesOfRun'> {}

/** A store with these statements, or some of them: another room passes its own store to code that names what it needs. */
export type Store<K extends keyof CallStatements = keyof CallStatements> = StoreOf<Pick<CallStatements, K>>;

/** Asks one of the statements of calls: `yield* ask('findEffect', { … })`. */
export const ask: Ask<CallStatements> = request;
/** Tells one of them, where nobody needs the answer. */
export const tell: Tell<CallStatements> = order;
