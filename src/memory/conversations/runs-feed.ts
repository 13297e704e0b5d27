import { setImmediate as turn } from 'node:timers/promises';
import { optionsOf } from '../../records/stored-run.ts';
import { isSubRunSession } from '../../records/sub-run-id.ts';
import type { RunMark, RunRow } from '../../store/rows.ts';
import type { IndexClient } from '../index/client.ts';
import type { FedDocument } from '../index/feed.ts';
import type { Store } from '../statements.ts';
import { readTranscript } from './transcript.ts';

/** So many runs are looked at, and so many fed, before others have their turn. */
const pageRuns = 500;
const feedRuns = 50;

/** Keeps the index of a tenant's conversations up to the store. A document is what was said in a run. */
export class RunsFeed {
  readonly #store: Store;
  readonly #tenant: number;
  readonly #index: IndexClient;
  /** The newest run that was looked at; null before all were. */
  #last: Pick<RunMark, 'pk' | 'id'> | null = null;
  /** Those that had not ended when they were fed, with how far they were. */
  readonly #moving = new Map<string, number>();
  #pending: number | null = null;
  #refreshing: Promise<void> | null = null;
  #isClosed = false;

  constructor(store: Store, tenant: number, index: IndexClient) {
    this.#store = store;
    this.#tenant = tenant;
    this.#index = index;
  }

  /** Runs that are to be fed; null while they are counted. */
  get pending(): number | null {
    return this.#pending;
  }

  /** The index has lost what it had: all is compared again. */
  forget(): void {
    this.#last = null;
  }

  /** Resolves when all that was said before this call is in the index. */
  async refresh(): Promise<void> {
    // One that is under way may have passed a run already.
    await this.#refreshing?.catch(() => {});
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /** Resolves when nothing is fed any more; what is missing is fed the next time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#refreshing?.catch(() => {});
  }

  /** @param erase whether nothing of them may stay in the file. */
  remove(runs: readonly string[], erase: boolean): Promise<void> {
    return this.#index.feed({ put: [], remove: runs, erase });
  }

  async #refresh(): Promise<void> {
    if (this.#isClosed) return;
    this.#pending = null;
    try {
      const { changed, gone } = (await this.#sinceLast()) ?? (await this.#compared());
      this.#pending = changed.length + gone.length;
      for (let i = 0; i < changed.length && !this.#isClosed; i += feedRuns) {
        const documents = [];
        for (const { id } of changed.slice(i, i + feedRuns)) documents.push(...(await this.#document(id)));
        await this.#index.feed({ put: documents, remove: [] });
        this.#pending -= Math.min(feedRuns, changed.length - i);
      }
      if (gone.length > 0 && !this.#isClosed) await this.remove(gone, false);
      this.#pending = 0;
    } catch (error) {
      // How much of it arrived nobody knows.
      this.forget();
      throw error;
    }
  }

  /** What has moved since the last time; null when that cannot be told without a look at everything. */
  async #sinceLast(): Promise<Changes | null> {
    const last = this.#last;
    if (!last) return null;
    const [first, ...marks] = await this.#marksAfter(last.pk - 1);
    // Keys of deleted runs are given again.
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

  /** Everything that the index has otherwise than the store. */
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

  /** None for a run that was deleted meanwhile. */
  async #document(id: string): Promise<FedDocument[]> {
    const run = await this.#store.query('loadRun', { tenant: this.#tenant, id });
    if (!run) return [];
    const lines = await readTranscript(this.#store, run);
    return [
      {
        path: id,
        stat: String(run.seq),
        owner: userOf(run),
        text: lines.map(({ text }) => text).join('\n'),
        sources: lines.map(({ from }) => from),
      },
    ];
  }
}

interface Changes {
  changed: Pick<RunMark, 'id'>[];
  /** Ids of runs that are no more. */
  gone: string[];
}

/** The user that a run was made for; null when its host has named none. */
export function userOf(row: Pick<RunRow, 'options'>): string | null {
  return optionsOf(row).principal?.userId ?? null;
}
