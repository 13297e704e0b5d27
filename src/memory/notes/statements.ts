import type { Statements } from '../../store/statements.ts';
import type { Store as StoreOf } from '../../store/store.ts';

/** The statements with which the search of past conversations reads. It writes nothing to the store. */
export type Store = StoreOf<
  Pick<Statements, 'findSession' | 'loadRun' | 'listRunMarks' | 'findRunOwner'> &
    Pick<Statements, 'listMessagesBefore' | 'pageMessagesOfRun' | 'listSummaries'>
>;
