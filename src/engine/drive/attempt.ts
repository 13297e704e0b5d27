import type { HotRun, Receipt, StartedEffect } from '../commit/commit.ts';
import { reportingTo } from '../foreign-code.ts';
import type { EffectHandler, Fact } from '../machine/machine-host.ts';
import type { EngineOptions } from './engine-options.ts';

/** One attempt of an effect, in flight. */
export interface Attempt {
  /** The effect's row, and the fence under which the attempt began. */
  place: { run: number; n: number; fence: number };
  abort: AbortController;
  /** Never rejects: an error becomes a fact. */
  fact: Promise<Fact>;
}

interface Asked {
  handler: EffectHandler;
  hot: HotRun;
  effect: StartedEffect;
  /** An earlier attempt may have had its effect. */
  interrupted: boolean;
}

/**
 * Begins an effect whose row is committed. It never retries: the engine counts attempts in rows and asks for each one.
 *
 * @param run takes facts of an effect that continues.
 */
export function beginAttempt(
  { bus, report }: Pick<EngineOptions, 'bus' | 'report'>,
  { handler, hot, effect, interrupted }: Asked,
  run: { send(fact: Fact): Promise<Receipt> },
): Attempt {
  const { row, snapshot, held } = hot;
  const abort = new AbortController();
  const perform = async (): Promise<Fact> => {
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
      note: async (fact) => !abort.signal.aborted && (await run.send(fact)).kind === 'moved',
      signalWatchers: (signal) =>
        bus.notify({ runId: row.id, effectId: effect.n, attempt: effect.attempt, ...signal }),
    });
  };
  return {
    place: { run: row.pk, n: effect.n, fence: row.fence },
    abort,
    fact: reportingTo({ runId: row.id, report }, perform).catch((error) => handler.failed(effect.n, error)),
  };
}
