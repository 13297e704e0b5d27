import type { EventRow, MessageRow } from '../../src/store/rows.ts';
import type { Store } from '../../src/store/store.ts';

/** What was read of logs and their messages. */
export interface Read {
  /** Characters of the bodies of each answer. */
  pages: number[];
}

/** A store that counts what is read of logs, outside of transactions. */
export function countingStore(store: Store): { store: Store; read: Read } {
  const read: Read = { pages: [] };
  const note = (name: string, found: unknown) => {
    if (name !== 'listEvents' && name !== 'pageMessagesOfRun') return;
    const rows = found as (EventRow | MessageRow)[];
    read.pages.push(rows.reduce((sum, { body }) => sum + body.length, 0));
  };
  return {
    read,
    store: {
      commit: (program) => store.commit(program),
      close: () => store.close(),
      async query(name, input) {
        const found = await store.query(name, input);
        note(name, found);
        return found;
      },
    },
  };
}
