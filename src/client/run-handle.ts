import type { ClientRun } from './api.ts';
import type { ClientEvent } from './link/event-order.ts';
import type { Watches } from './link/watches.ts';

/** A run that the client started. */
export interface ClientRunHandle {
  /** With this key the gateway makes one run, however often the start is sent. */
  readonly idempotencyKey: string;
  /** Resolves when the gateway has the run. */
  readonly started: Promise<{ runId: string; sessionId: string }>;
  /** All events of the run, from its first one, each time that they are read. Ends with the run. */
  readonly events: AsyncIterable<ClientEvent>;
  /** The run when it has ended. Each access waits for that, also after an error. */
  readonly result: Promise<ClientRun>;
}

interface HandleParts {
  idempotencyKey: string;
  watches: Watches;
  /** Whether the gateway sends the events behind its response. */
  isWatched: boolean;
  /** Sends the start. Calls `answered` before a frame behind the response is read. */
  send(answered: (payload: unknown) => void): Promise<unknown>;
  get(runId: string): Promise<ClientRun>;
}

export function runHandle({ idempotencyKey, watches, isWatched, send, get }: HandleParts): ClientRunHandle {
  const end = (runId: string, isAsked = false) => drained(watches.watch(runId, 0, isAsked));
  let ended: Promise<void> | null = null;
  let known: string | null = null;
  /** Those who read events before there is a run: they miss none of it. */
  const early: ((runId: string) => void)[] = [];
  const started = send((payload) => {
    const { runId } = payload as { runId: string };
    known = runId;
    ended = end(runId, isWatched);
    ended.catch(() => {});
    for (const begin of early) begin(runId);
  }) as ClientRunHandle['started'];
  started.catch(() => {});

  async function result(): Promise<ClientRun> {
    const { runId } = await started;
    const first = ended;
    ended = null;
    await (first ?? end(runId));
    return get(runId);
  }

  return {
    idempotencyKey,
    started,
    events: {
      async *[Symbol.asyncIterator]() {
        yield* await new Promise<AsyncIterable<ClientEvent>>((resolve, reject) => {
          const begin = (runId: string) => resolve(watches.watch(runId, 0));
          if (known === null) early.push(begin);
          else begin(known);
          started.catch(reject);
        });
      },
    },
    get result() {
      return result();
    },
  };
}

/** Reads all events, for the moment when there are no more. */
async function drained(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}
