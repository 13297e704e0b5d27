/** A run whose turn in its lane has come. */
export interface Ticket {
  tenant: number;
  runId: string;
  session: number;
}

/**
 * Decides which waiting run starts next. The tables hold the lane order, `runs(session, ordinal)`: the engine makes a
 * ticket only for a run at the head of its lane.
 */
export interface Dispatcher {
  /** Hands in a ticket, after the commit that put the run at the head of its lane. A hint that there is work. */
  wake(ticket: Ticket): void;
  /** Begins to hand tickets to `take`, which reports its own errors. */
  start(take: (ticket: Ticket) => Promise<void>): void;
  /** Hands out nothing more and waits for takes in progress. */
  stop(): Promise<void>;
}

/** The dispatcher of one process. A ticket is only a wake-up: the lane itself is in the database. */
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
