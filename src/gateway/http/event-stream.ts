import type { Caller } from '../../protocol/access.ts';
import type { Sink } from '../feeds/feeds.ts';
import type { Outgoing } from '../feeds/outgoing.ts';
import type { GatewayLimits } from '../gateway-options.ts';
import { failureOf } from '../socket/failure.ts';
import { SseBody } from './sse-body.ts';

/** A sink that needs no more of an event than its text. */
export type TextSink = Pick<Sink, 'ready' | 'end'> & { send(event: Pick<Outgoing, 'sse'>): void };

interface EventStream {
  limits: GatewayLimits;
  caller: Caller;
  /** Begins to send the events. Returns the function that stops it. */
  watch(sink: TextSink): () => void;
  report(error: unknown): void;
  /** Called when the client has gone, or the stream has ended. */
  closed(): void;
}

/** Milliseconds after which a client connects again. */
const retryMs = 1000;

/** The headers of every event stream. */
export const streamHeaders = {
  'content-type': 'text/event-stream',
  // A compressing proxy would hold events back until it has enough of them.
  'cache-control': 'no-store, no-transform',
  // Proxies must pass each event on at once.
  'x-accel-buffering': 'no',
};

/**
 * Events as server-sent events, from the log and then live. In the stream of a run, only the last event of a transition
 * has an id, so a client that connects again with `Last-Event-ID` gets whole transitions. A reader that is too slow is
 * cut off.
 */
export function eventStream({ limits, caller, watch, report, closed }: EventStream): {
  body: ReadableStream<Uint8Array>;
  stop(): void;
} {
  let unwatch = () => {};
  const stream = new SseBody(limits, () => {
    unwatch();
    closed();
  });
  stream.write(`retry: ${retryMs}\n\n`);
  unwatch = watch({
    send: ({ sse }) => stream.write(sse),
    ready: () => stream.ready(),
    end(error) {
      if (error !== undefined) stream.send(failureOf(error, report, caller).error, 'subscription.ended');
      stream.close();
    },
  });
  return { body: stream.body, stop: () => stream.close() };
}
