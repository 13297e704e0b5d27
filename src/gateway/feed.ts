import type { Detent, FeedEvent } from '../index.ts';
import type { Reach } from '../protocol/access.ts';
import type { Sink } from './feeds.ts';

/** How often the feed of a tenant is looked at while nothing happens, in milliseconds. */
const lookMs = 250;

/** Without a user: those of the whole tenant. */
interface Whose {
  tenantId: number;
  userId?: string;
  reach?: Reach;
}

/** Where the events of the feed go. */
type FeedSink = Pick<Sink, 'ready' | 'end'> & { send(event: { sse: string }): void };

/**
 * Sends what happens to all runs that the caller sees, from a place on: each transition once, in the order of the commits. A reader that
 * is slow is waited for, so no more than a page is in memory.
 *
 * @param after default: from now on
 * @returns the function that stops it
 */
export function followFeed(
  detent: Detent,
  whose: Whose,
  after: number | undefined,
  sink: FeedSink,
): () => void {
  let isStopped = false;
  const follow = async () => {
    for (let place = after; !isStopped; ) {
      const page = await detent.runs.feed({ ...whose, ...(place !== undefined && { after: place }) });
      for (const event of page.events) {
        const ready = sink.ready();
        if (isStopped || (ready !== true && !(await ready))) return;
        sink.send({ sse: textOf(event) });
      }
      // Also past what others did, so that a reader that comes again does not begin before it.
      const last = page.events.at(-1)?.cursor ?? place;
      if (page.cursor !== last && !isStopped) sink.send({ sse: `id: ${page.cursor}\n\n` });
      place = page.cursor;
      if (!page.more) await wait(lookMs);
    }
  };
  follow().catch((error) => isStopped || sink.end(error));
  return () => {
    isStopped = true;
  };
}

function textOf(event: FeedEvent): string {
  return `id: ${event.cursor}\nevent: run.moved\ndata: ${JSON.stringify(event)}\n\n`;
}

/** A page of the feed, as soon as it has an event, or when the time is up, or the client has gone. */
export async function awaitFeed(
  detent: Detent,
  whose: Whose,
  { after, waitMs, signal }: { after: number | undefined; waitMs: number; signal: AbortSignal },
): ReturnType<Detent['runs']['feed']> {
  const until = performance.now() + waitMs;
  for (let place = after; ; ) {
    const page = await detent.runs.feed({ ...whose, ...(place !== undefined && { after: place }) });
    if (page.events.length > 0 || signal.aborted) return page;
    if (!page.more && performance.now() >= until) return page;
    place = page.cursor;
    if (!page.more) await wait(Math.min(lookMs, Math.max(0, until - performance.now())));
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
