import { type LongRow, textLength } from '../../src/store/rows.ts';
import type { Store } from '../../src/store/store.ts';

/** What was read of logs, their messages and effects. */
export interface Read {
  /** Characters of each answer. */
  pages: number[];
}

const counted: readonly string[] = ['listEvents', 'listEffects', 'pageMessagesOfRun'];

/** A store that counts what is read of logs, outside of transactions. */
export function countingStore(store: Store): { store: Store; read: Read } {
  const read: Read = { pages: [] };
  const note = (name: string, found: unknown) => {
    if (!counted.includes(name)) return;
    read.pages.push((found as LongRow[]).reduce((sum, row) => sum + textLength(row), 0));
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
