import { setImmediate as turn } from 'node:timers/promises';
import type { RunMark } from '../../store/rows.ts';
import { isSubRunSession } from '../../store/stored-run.ts';
import type { FedDocument } from '../index/feed.ts';
import type { IndexClient } from '../index/index-client.ts';
import type { Store } from '../notes/statements.ts';
import { ownerOf, readTranscript } from './transcript.ts';

/** Runs to compare, and runs and characters to feed, before yielding to other work. */
const pageRuns = 500;
const feedRuns = 50;
const feedChars = 1_000_000;

/** Keeps the index of a tenant's conversations up to date with the store. Each run is one document. */
export class RunsFeed {
  readonly #store: Store;
  readonly #tenant: number;
  readonly #index: IndexClient;
  /** The newest run that was compared; null before the first full comparison. */
  #last: Pick<RunMark, 'pk' | 'id'> | null = null;
  /** Runs that had not ended when they were fed, with their progress then. */
  readonly #moving = new Map<string, number>();
  #pending: number | null = null;
  #refreshing: Promise<void> | null = null;
  #isClosed = false;

  constructor(store: Store, tenant: number, index: IndexClient) {
    this.#store = store;
    this.#tenant = tenant;
    this.#index = index;
  }

  /** Number of runs still to feed; null while they are counted. */
  get pending(): number | null {
    return this.#pending;
  }

  /** Call it when the index has lost its content: the next refresh compares everything. */
  forget(): void {
    this.#last = null;
  }

  /** Resolves when all that was said before this call is in the index. */
  async refresh(): Promise<void> {
    // A refresh that is under way may have passed a run already.
    await this.#refreshing?.catch(() => {});
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /** Stops feeding; resolves when it has stopped. The next process feeds what is missing. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#refreshing?.catch(() => {});
  }

  /** @param erase whether to remove their text from the file itself, not only from search results. */
  remove(runs: readonly string[], erase: boolean): Promise<void> {
    return this.#index.feed({ put: [], remove: runs, erase });
  }

  async #refresh(): Promise<void> {
    if (this.#isClosed) return;
    this.#pending = null;
    try {
      const { changed, gone } = (await this.#sinceLast()) ?? (await this.#compared());
      this.#pending = changed.length + gone.length;
      for (let i = 0; i < changed.length && !this.#isClosed; ) {
        const documents: FedDocument[] = [];
        const from = i;
        for (let chars = 0; chars < feedChars && i < changed.length && i - from < feedRuns; i++) {
          const document = await this.#document(changed[i]?.id ?? '');
          chars += document?.text.length ?? 0;
          if (document) documents.push(document);
        }
        await this.#index.feed({ put: documents, remove: [] });
        this.#pending -= i - from;
      }
      if (gone.length > 0 && !this.#isClosed) await this.remove(gone, false);
      this.#pending = 0;
    } catch (error) {
      // It is unknown how much of the feed arrived.
      this.forget();
      throw error;
    }
  }

  /** The changes since the last time; null when only a full comparison can find them. */
  async #sinceLast(): Promise<Changes | null> {
    const last = this.#last;
    if (!last) return null;
    const [first, ...marks] = await this.#marksAfter(last.pk - 1);
    // SQLite reuses the keys of deleted runs.
    if (first?.id !== last.id) return null;
    const changes: Changes = { changed: [], gone: [] };
    for (const [id, seq] of this.#moving) {
      const row = await this.#store.query('loadRun', { tenant: this.#tenant, id });
      if (!row) changes.gone.push(id);
      else if (row.seq !== seq) changes.changed.push(row);
      this.#note(id, row);
    }
    for (const mark of marks) {
      if (isSubRunSession(mark.sessionKey)) continue;
      changes.changed.push(mark);
      this.#note(mark.id, mark);
    }
    return changes;
  }

  /** All differences between index and store. */
  async #compared(): Promise<Changes> {
    const known = await this.#index.known();
    const gone = new Set(known.keys());
    this.#moving.clear();
    const changed: RunMark[] = [];
    for (const mark of await this.#marksAfter(0)) {
      if (isSubRunSession(mark.sessionKey)) continue;
      gone.delete(mark.id);
      if (known.get(mark.id) !== String(mark.seq)) changed.push(mark);
      this.#note(mark.id, mark);
    }
    return { changed, gone: [...gone] };
  }

  async #marksAfter(pk: number): Promise<RunMark[]> {
    const marks: RunMark[] = [];
    let after = pk;
    for (;;) {
      const page = await this.#store.query('listRunMarks', {
        tenant: this.#tenant,
        after,
        limit: pageRuns,
      });
      marks.push(...page);
      const last = page.at(-1);
      if (last) this.#last = { pk: last.pk, id: last.id };
      if (!last || page.length < pageRuns || this.#isClosed) return marks;
      after = last.pk;
      await turn();
    }
  }

  #note(id: string, run: Pick<RunMark, 'seq' | 'ended'> | undefined): void {
    if (run?.ended === 0) this.#moving.set(id, run.seq);
    else this.#moving.delete(id);
  }

  /** Null for a run that was deleted meanwhile. */
  async #document(id: string): Promise<FedDocument | null> {
    const run = await this.#store.query('loadRun', { tenant: this.#tenant, id });
    if (!run) return null;
    const lines = await readTranscript(this.#store, run);
    return {
      path: id,
      stat: String(run.seq),
      owner: ownerOf(run),
      text: lines.map(({ text }) => text).join('\n'),
      sources: lines.map(({ from }) => from),
    };
  }
}

interface Changes {
  changed: Pick<RunMark, 'id'>[];
  /** Ids of deleted runs. */
  gone: string[];
}
