import type { EventBus } from './bus.ts';
import type { HotRun, StartedEffect } from './commit.ts';
import type { Fact, MachineHost } from './machine-host.ts';

interface Attempt {
  /** Its effect's row, and the fence it was begun under. */
  place: { run: number; n: number; fence: number };
  abort: AbortController;
}

interface ExecutorOptions {
  bus: EventBus;
}

/** Where facts go. */
interface Delivered {
  /** The one that ends an effect. */
  deliver(tenant: number, runId: string, fact: Fact): Promise<void>;
  /** One of an effect that goes on; whether the machine took it. */
  note(tenant: number, runId: string, fact: Fact): Promise<boolean>;
}

/**
 * Performs effects whose rows are committed, and brings back their facts.
 *
 * It never performs anything twice by itself: attempts are counted in rows, by whoever asks it.
 */
export class Executor {
  readonly #options: ExecutorOptions;
  readonly #to: Delivered;
  readonly #inFlight = new Map<string, Map<number, Attempt>>();
  #stopped = false;

  constructor(options: ExecutorOptions, to: Delivered) {
    this.#options = options;
    this.#to = to;
  }

  isBusy(runId: string): boolean {
    return this.#inFlight.has(runId);
  }

  /** Begins one attempt; `interrupted` when an earlier one may have happened. */
  perform(host: MachineHost, hot: HotRun, effect: StartedEffect, interrupted: boolean): void {
    const { row, snapshot, held } = hot;
    const handler = host.effects[effect.name];
    if (!handler || this.#stopped) return;
    const abort = new AbortController();
    const mine = this.#inFlight.get(row.id) ?? new Map<number, Attempt>();
    const place = { run: row.pk, n: effect.n, fence: row.fence };
    this.#inFlight.set(row.id, mine.set(effect.n, { place, abort }));
    const { bus } = this.#options;
    const attempt = async (): Promise<Fact> => {
      // Watchers are told of the transition first.
      await null;
      return handler.perform({
        run: row,
        options: held.options,
        cache: held.cache,
        context: snapshot.context,
        effectId: effect.n,
        params: effect.params,
        input: effect.input,
        attempt: effect.attempt,
        interrupted,
        idempotencyKey: `${row.id}:${effect.n}`,
        signal: abort.signal,
        note: async (fact) => !abort.signal.aborted && this.#to.note(row.tenant, row.id, fact),
        signalWatchers: (signal) =>
          bus.notify({ runId: row.id, effectId: effect.n, attempt: effect.attempt, ...signal }),
      });
    };
    void attempt()
      .catch((error) => handler.failed(effect.n, error))
      .then((fact) => {
        mine.delete(effect.n);
        if (mine.size === 0) this.#inFlight.delete(row.id);
        // An aborted effect's row is cancelled already: its fact would be a duplicate.
        return this.#stopped || abort.signal.aborted ? undefined : this.#to.deliver(row.tenant, row.id, fact);
      });
  }

  abort(runId: string, n: number): void {
    this.#inFlight.get(runId)?.get(n)?.abort.abort();
  }

  abortRun(runId: string): void {
    for (const { abort } of this.#inFlight.get(runId)?.values() ?? []) abort.abort();
  }

  /** Aborts everything; answers what was in flight. */
  stop(): Attempt['place'][] {
    this.#stopped = true;
    const open = [...this.#inFlight.values()].flatMap((mine) => [...mine.values()]);
    const places = open.filter(({ abort }) => !abort.signal.aborted).map(({ place }) => place);
    for (const runId of [...this.#inFlight.keys()]) this.abortRun(runId);
    return places;
  }
}
