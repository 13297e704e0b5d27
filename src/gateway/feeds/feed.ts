import type { Detent, FeedEvent } from '../../index.ts';
import type { Sink } from './feeds.ts';
import type { Whose } from './sight.ts';

/** How often the feeds of tenants are read while a reader waits for them, in milliseconds. */
const lookMs = 250;

/** The receiver of the events of the feed. A null event only advances the place, past events of other users. */
type FeedSink = Pick<Sink, 'ready' | 'end'> & {
  send(moved: { event: FeedEvent | null; sse: string }): void;
};

/** Waits for a feed to grow. */
interface Waiting {
  place: number;
  wake(): void;
}

/** The feeds of tenants for many readers: one read of the database serves all readers of a tenant. */
export class TenantFeeds {
  readonly #detent: Detent;
  /** By tenant. */
  readonly #waiting = new Map<number, Set<Waiting>>();
  #timer: NodeJS.Timeout | null = null;

  constructor(detent: Detent) {
    this.#detent = detent;
  }

  /**
   * Sends the transitions of all runs that the caller sees, from a place on: each once, in the order of the commits. It
   * waits for a slow reader, so at most a page is in memory.
   *
   * @param after default: from now on
   * @returns the function that stops it
   */
  follow(whose: Whose, after: number | undefined, sink: FeedSink): () => void {
    const left = new AbortController();
    const { signal } = left;
    const follow = async () => {
      for (let place = after; !signal.aborted; ) {
        const page = await this.#page(whose, place);
        for (const event of page.events) {
          const ready = sink.ready();
          if (signal.aborted || (ready !== true && !(await ready))) return;
          sink.send({ event, sse: frameText(event) });
        }
        // Also after events of other users, so that a reader that connects again does not read them again.
        const last = page.events.at(-1)?.cursor ?? place;
        if (page.cursor !== last && !signal.aborted)
          sink.send({ event: null, sse: `id: ${page.cursor}\n\n` });
        place = page.cursor;
        if (!page.more) await this.#grown(whose.tenantId, place, signal);
      }
    };
    follow().catch((error) => signal.aborted || sink.end(error));
    return () => left.abort();
  }

  /** A page of the feed, as soon as it has an event, or when the time is up, or the client has gone. */
  async next(
    whose: Whose,
    { after, waitMs, signal }: { after: number | undefined; waitMs: number; signal: AbortSignal },
  ): ReturnType<Detent['runs']['feed']> {
    const until = performance.now() + waitMs;
    for (let place = after; ; ) {
      const page = await this.#page(whose, place);
      if (page.events.length > 0 || signal.aborted) return page;
      const leftMs = until - performance.now();
      if (!page.more && leftMs <= 0) return page;
      place = page.cursor;
      if (!page.more) await this.#grown(whose.tenantId, place, signal, leftMs);
    }
  }

  #page(whose: Whose, place: number | undefined) {
    return this.#detent.runs.feed({ ...whose, ...(place !== undefined && { after: place }) });
  }

  /** Resolves when the feed of a tenant may have more than this, the reader has gone, or the time is up. */
  async #grown(tenantId: number, place: number, signal: AbortSignal, forMs?: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const waiting = { place, wake };
    const all = this.#waiting.get(tenantId) ?? new Set();
    this.#waiting.set(tenantId, all.add(waiting));
    this.#timer ??= setTimeout(() => void this.#look(), lookMs).unref();
    const timer = forMs === undefined ? undefined : setTimeout(wake, forMs).unref();
    signal.addEventListener('abort', wake, { once: true });
    if (signal.aborted) wake();
    await promise;
    signal.removeEventListener('abort', wake);
    clearTimeout(timer);
    all.delete(waiting);
    if (all.size === 0 && this.#waiting.get(tenantId) === all) this.#waiting.delete(tenantId);
  }

  async #look(): Promise<void> {
    for (const [tenantId, all] of [...this.#waiting]) {
      // The readers of the feed get the error themselves.
      const end = await this.#detent.runs.feed({ tenantId }).then(
        ({ cursor }) => cursor,
        () => Number.POSITIVE_INFINITY,
      );
      for (const { place, wake } of [...all]) if (end > place) wake();
    }
    this.#timer = this.#waiting.size === 0 ? null : setTimeout(() => void this.#look(), lookMs).unref();
  }
}

function frameText(event: FeedEvent): string {
  return `id: ${event.cursor}\nevent: run.moved\ndata: ${JSON.stringify(event)}\n\n`;
}
