import type { Entry, RunStory } from '../../../data/conversation/entries.ts';

/** One row of the conversation. */
export type Row = { type: 'older'; key: string } | EntryRow;

type EntryRow = { type: 'entry'; key: string; entry: Entry } & EntryPlace;

/** How the line of the margin passes an entry. */
export interface EntryPlace {
  /** The line begins here. */
  isFirst: boolean;
  /** The line ends here. */
  isLast: boolean;
  /** The state that holds now. */
  isLive: boolean;
  /** A person is asked: the line goes on into the dock. */
  falls: boolean;
}

const older: Row = { type: 'older', key: 'older' };

/** Makes the rows of stories. What did not change is the same object as before: a long session has thousands of rows. */
export class Rows {
  readonly #ofStory = new WeakMap<RunStory, readonly EntryRow[]>();
  readonly #ofEntry = new WeakMap<Entry, EntryRow>();

  /** The rows of a session, from the oldest that was read. */
  of(stories: readonly RunStory[], hasOlder: boolean): Row[] {
    const rows: Row[] = hasOlder ? [older] : [];
    for (const story of stories) {
      let own = this.#ofStory.get(story);
      if (!own) {
        own = this.#made(story);
        this.#ofStory.set(story, own);
      }
      for (const row of own) rows.push(row);
    }
    return rows;
  }

  #made({ entries, endedAt }: RunStory): EntryRow[] {
    const last = entries.findLastIndex(({ kind }) => kind === 'stay' || kind === 'end');
    return entries.map((entry, at) => {
      const { stay, toSeq, key, isOfChart } = entry;
      const asks = !isOfChart && (stay === 'awaitingConfirm' || stay === 'reconciling');
      const isLive = at === last && endedAt === null && toSeq === null;
      const place: EntryPlace = {
        isFirst: at === 0 || isWords(entries[at - 1]),
        isLast: (at === entries.length - 1 || isWords(entries[at + 1])) && !(asks && isLive),
        isLive,
        falls: isLive && asks,
      };
      const had = this.#ofEntry.get(entry);
      if (had && isSame(had, place)) return had;
      const row: EntryRow = { type: 'entry', key, entry, ...place };
      this.#ofEntry.set(entry, row);
      return row;
    });
  }
}

/** The line of the margin does not pass what people say to one another. */
function isWords(entry: Entry | undefined): boolean {
  return entry?.kind === 'user' || entry?.kind === 'staff';
}

function isSame(a: EntryPlace, b: EntryPlace): boolean {
  return a.isFirst === b.isFirst && a.isLast === b.isLast && a.isLive === b.isLive && a.falls === b.falls;
}
