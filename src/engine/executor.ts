import { reportingTo } from '../ports/foreign-code.ts';
import type { EventBus } from './bus.ts';
import type { HotRun, StartedEffect } from './commit.ts';
import type { Fact, MachineHost } from './machine-host.ts';

interface Attempt {
  /** The effect's row, and the fence under which the attempt began. */
  place: { run: number; n: number; fence: number };
  abort: AbortController;
}

interface ExecutorOptions {
  bus: EventBus;
  report(error: unknown, runId: string): void;
}

/** Receives the facts of effects. */
interface Delivered {
  /** Delivers the fact that ends an effect. */
  deliver(tenant: number, runId: string, fact: Fact): Promise<void>;
  /** Delivers a fact of an effect that continues. Resolves with whether the machine accepted it. */
  note(tenant: number, runId: string, fact: Fact): Promise<boolean>;
}

/**
 * Performs effects whose rows are committed, and delivers their facts.
 *
 * It never retries: the engine counts attempts in rows and asks for each one.
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

  /** Begins one attempt. `interrupted`: an earlier attempt may have had its effect. */
  perform(host: MachineHost, hot: HotRun, effect: StartedEffect, interrupted: boolean): void {
    const { row, snapshot, held } = hot;
    const handler = host.effects[effect.name];
    if (!handler || this.#stopped) return;
    const abort = new AbortController();
    const mine = this.#inFlight.get(row.id) ?? new Map<number, Attempt>();
    const place = { run: row.pk, n: effect.n, fence: row.fence };
    this.#inFlight.set(row.id, mine.set(effect.n, { place, abort }));
    const { bus, report } = this.#options;
    const attempt = async (): Promise<Fact> => {
      // Watchers must hear of the transition before the effect's signals.
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
    void reportingTo({ runId: row.id, report }, attempt)
      .catch((error) => handler.failed(effect.n, error))
      .then((fact) => {
        mine.delete(effect.n);
        if (mine.size === 0) this.#inFlight.delete(row.id);
        // The row of an aborted effect is cancelled already, so its fact would be a duplicate.
        return this.#stopped || abort.signal.aborted ? undefined : this.#to.deliver(row.tenant, row.id, fact);
      });
  }

  abort(runId: string, n: number): void {
    this.#inFlight.get(runId)?.get(n)?.abort.abort();
  }

  abortRun(runId: string): void {
    for (const { abort } of this.#inFlight.get(runId)?.values() ?? []) abort.abort();
  }

  /** Aborts all effects. Returns those that were in flight. */
  stop(): Attempt['place'][] {
    this.#stopped = true;
    const open = [...this.#inFlight.values()].flatMap((mine) => [...mine.values()]);
    const places = open.filter(({ abort }) => !abort.signal.aborted).map(({ place }) => place);
    for (const runId of [...this.#inFlight.keys()]) this.abortRun(runId);
    return places;
  }
}
