import type { MessageStatements, RunStatements, SessionStatements } from '../store/statements.ts';
import type { Store as StoreOf } from '../store/store.ts';

/** What the search of past conversations reads. It writes nothing to the store. */
export type Store = StoreOf<
  Pick<SessionStatements, 'findSession'> &
    Pick<RunStatements, 'loadRun' | 'listRunMarks' | 'findRunOwner'> &
    Pick<MessageStatements, 'listMessagesBefore' | 'listMessagesOfRun' | 'listSummaries'>
>;
