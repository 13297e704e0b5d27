import type { HotRun, StartedEffect } from '../commit/commit.ts';
import type { EffectJob, Fact } from '../machine/machine-host.ts';

/** One attempt of an effect, in flight. */
export interface Attempt {
  /** The effect's row, and the fence under which the attempt began. */
  place: { run: number; n: number; fence: number };
  abort: AbortController;
  /** Never rejects: an error becomes a fact. */
  fact: Promise<Fact>;
}

/** What an effect's handler gets. */
export function jobOf(
  { row, snapshot, held }: HotRun,
  effect: StartedEffect,
  attempt: Pick<EffectJob, 'interrupted' | 'signal' | 'note' | 'signalWatchers'>,
): EffectJob {
  return {
    ...attempt,
    run: row,
    options: held.options,
    cache: held.cache,
    context: snapshot.context,
    effectId: effect.n,
    params: effect.params,
    input: effect.input,
    attempt: effect.attempt,
    idempotencyKey: `${row.id}:${effect.n}`,
  };
}
