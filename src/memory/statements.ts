import type { MessageStatements } from '../store/statements/messages.ts';
import type { RunStatements } from '../store/statements/runs.ts';
import type { SessionStatements } from '../store/statements/sessions.ts';
import type { Store as StoreOf } from '../store/store.ts';

/** What the search of past conversations reads. It writes nothing to the store. */
export type Store = StoreOf<
  Pick<SessionStatements, 'findSession'> &
    Pick<RunStatements, 'loadRun' | 'listRunMarks' | 'findRunOwner'> &
    Pick<MessageStatements, 'listMessagesBefore' | 'listMessagesOfRun' | 'listSummaries'>
>;
