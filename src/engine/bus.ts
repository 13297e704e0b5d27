/** Something that happened in a run. Transitions have a `seq` and are in the log; all else is told once and lost. */
export interface RunSignal {
  runId: string;
  type: string;
  seq?: number;
  [key: string]: unknown;
}

/**
 * Tells watchers that something happened. A hint: the truth is the events table, so a lost signal is healed by reading
 * from the last `seq`.
 */
export interface EventBus {
  notify(signal: RunSignal): void;
  /** Calls `listener` for each signal of the run from now on; returns how to stop. Must not throw into the bus. */
  listen(runId: string, listener: (signal: RunSignal) => void): () => void;
}

/** The bus of one process. */
export function createEmbeddedBus(): EventBus {
  const listeners = new Map<string, Set<(signal: RunSignal) => void>>();
  return {
    notify(signal) {
      for (const listener of [...(listeners.get(signal.runId) ?? [])]) listener(signal);
    },
    listen(runId, listener) {
      const own = listeners.get(runId) ?? new Set();
      listeners.set(runId, own.add(listener));
      return () => {
        own.delete(listener);
        // Whoever leaves twice must not take those away who came in between.
        if (own.size === 0 && listeners.get(runId) === own) listeners.delete(runId);
      };
    },
  };
}
