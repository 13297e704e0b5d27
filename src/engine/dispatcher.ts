/** A run whose turn in its lane has come. */
export interface Ticket {
  tenant: number;
  runId: string;
  session: number;
}

/**
 * Decides who runs next; the tables decide what is true. Lane order is `runs(session, ordinal)`, so a ticket is asked
 * for only when a run is at the head of its lane.
 */
export interface Dispatcher {
  /** After the transaction that brought the run's turn: a hint that there is work. */
  wake(ticket: Ticket): void;
  /** Begins to hand tickets to `take`; a take that rejects is its own to report. */
  start(take: (ticket: Ticket) => Promise<void>): void;
  /** Hands out nothing more and waits for takes in progress. */
  stop(): Promise<void>;
}

/** The dispatcher of one process: a ticket is a wake-up, and the lane in the database is all it needs to know. */
export function createEmbeddedDispatcher(): Dispatcher {
  const waiting = new Map<string, Ticket>();
  const taking = new Set<Promise<void>>();
  let take: ((ticket: Ticket) => Promise<void>) | null = null;
  const pump = () => {
    if (!take) return;
    for (const [runId, ticket] of waiting) {
      waiting.delete(runId);
      const done: Promise<void> = take(ticket).finally(() => taking.delete(done));
      taking.add(done);
    }
  };
  return {
    wake(ticket) {
      waiting.set(ticket.runId, ticket);
      pump();
    },
    start(handler) {
      take = handler;
      pump();
    },
    async stop() {
      take = null;
      await Promise.allSettled(taking);
    },
  };
}
