import { existsSync } from 'node:fs';
import { DetentError } from '../../protocol/error.ts';
import { shown } from '../../protocol/json.ts';
import type { SessionHit, SessionSearch, SessionSearcher, SessionSeeker } from '../../protocol/ports.ts';
import { endsWithin } from '../../text/limiter.ts';
import { IndexClient, type IndexThread } from '../index/index-client.ts';
import type { FoundPassages } from '../index/service.ts';
import { askedQueries } from '../notes/asked-queries.ts';
import type { Store } from '../notes/statements.ts';
import { HitReader } from './hit-reader.ts';
import { RunsFeed } from './runs-feed.ts';

/** How long a search waits for new runs to be indexed. */
const waitMs = 3_000;
const defaultHits = 6;

interface ConversationsOptions {
  store: Store;
  /** The index file of a tenant. Each tenant has its own, so that a search never finds text of another tenant. */
  indexFile(tenant: number): string;
  thread: IndexThread;
}

/** Searches conversations by words. It reads every hit from the store, because the index may be out of date. */
export class Conversations implements SessionSearcher {
  readonly #options: ConversationsOptions;
  readonly #open = new Map<number, Opened>();

  constructor(options: ConversationsOptions) {
    this.#options = options;
  }

  async search(
    seeker: SessionSeeker,
    queries: readonly string[],
    limit = defaultHits,
  ): Promise<SessionSearch> {
    const asked = askedQueries(queries);
    if (seeker.userId !== null && typeof seeker.userId !== 'string')
      throw new DetentError('INVALID_ARGUMENTS', `userId is a text, not ${shown(seeker.userId)}`);
    if (await this.#isSilent(seeker.tenant)) return nothingSaid;
    const { feed, index } = this.#opened(seeker.tenant);
    const found = await this.#found(seeker.tenant, {
      queries: asked,
      // Ask for more hits than needed, because some must not be shown.
      limit: 10 + limit * 3,
      owner: seeker.userId,
      waitMs: 0,
    });
    const reader = new HitReader(this.#options.store, seeker);
    const results: SessionHit[] = [];
    for (const passage of found.results) {
      if (results.length >= limit) break;
      const hit = await reader.read(passage);
      if (hit) results.push(hit);
    }
    if (reader.gone.length > 0) index.feed({ put: [], remove: reader.gone }).catch(() => {});
    const { pending } = feed;
    const reason = searchReason({ pending, indexed: found.indexed, isEmpty: results.length === 0 });
    return { mode: 'lexical', indexed: found.indexed, pending, stale: pending !== 0, reason, results };
  }

  /** Erases deleted runs from the index. Returns false when that was not possible now. */
  async erase(tenant: number, runs: readonly string[]): Promise<boolean> {
    if (!this.#isIndexed(tenant) || runs.length === 0) return true;
    return this.#opened(tenant)
      .feed.remove(runs, true)
      .then(
        () => true,
        () => false,
      );
  }

  /**
   * Takes runs out of the index: those that are gone for good, others until the next search. What is not possible now, the
   * first search of the next process does.
   */
  async forget(tenant: number, runs: readonly string[]): Promise<void> {
    if (!this.#isIndexed(tenant)) return;
    const { feed } = this.#opened(tenant);
    await feed.remove(runs, false).catch(() => {});
    feed.forget();
  }

  /** Erases from the index all that is not in the store any more. Returns false when that was not possible now. */
  async eraseGone(tenant: number): Promise<boolean> {
    if (!this.#isIndexed(tenant)) return true;
    const { feed } = this.#opened(tenant);
    feed.forget();
    return feed
      .refresh()
      .then(() => feed.remove([], true))
      .then(
        () => true,
        () => false,
      );
  }

  #isIndexed(tenant: number): boolean {
    return this.#open.has(tenant) || existsSync(this.#options.indexFile(tenant));
  }

  async close(): Promise<void> {
    await Promise.all(
      [...this.#open.values()].map(async ({ feed, index }) => {
        await feed.close();
        await index.close();
      }),
    );
  }

  /** Whether there are no conversations, so that no index is needed. */
  async #isSilent(tenant: number): Promise<boolean> {
    if (this.#open.has(tenant)) return false;
    const runs = await this.#options.store.query('listRunMarks', { tenant, after: 0, limit: 1 });
    return runs.length === 0;
  }

  async #found(tenant: number, search: Parameters<IndexClient['search']>[0]): Promise<FoundPassages> {
    const opened = this.#opened(tenant);
    const { feed, index } = opened;
    await endsWithin(feed.refresh(), waitMs);
    const found = await index.search(search);
    const isAnew = opened.edition !== null && opened.edition !== found.edition;
    opened.edition = found.edition ?? null;
    if (!isAnew) return found;
    feed.forget();
    await endsWithin(feed.refresh(), waitMs);
    return index.search(search);
  }

  #opened(tenant: number): Opened {
    const { store, indexFile, thread } = this.#options;
    const known = this.#open.get(tenant);
    if (known) return known;
    const index = new IndexClient({ file: indexFile(tenant) }, thread);
    const opened = { index, feed: new RunsFeed(store, tenant, index), edition: null };
    this.#open.set(tenant, opened);
    return opened;
  }
}

const nobodySpoke = 'there are no earlier conversations';

/** The result without any conversation. */
export const nothingSaid: SessionSearch = {
  mode: 'lexical',
  indexed: 0,
  pending: 0,
  stale: false,
  reason: nobodySpoke,
  results: [],
};

interface Opened {
  index: IndexClient;
  feed: RunsFeed;
  /** The edition of the index that was searched last. */
  edition: string | null;
}

function searchReason({
  pending,
  indexed,
  isEmpty,
}: {
  pending: number | null;
  indexed: number;
  isEmpty: boolean;
}): string | null {
  if (pending === null) return 'the index of conversations is not complete yet; search again in a while';
  if (pending > 0)
    return `${pending} ${pending === 1 ? 'run is' : 'runs are'} not indexed yet; search again in a while`;
  if (!isEmpty) return null;
  return indexed === 0
    ? nobodySpoke
    : 'no earlier conversation contains a word of the query; try other words';
}
