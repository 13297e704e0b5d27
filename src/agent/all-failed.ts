import type { RunFailure } from '../../machines/run.types.ts';
import type { EffectJob } from '../engine/machine-host.ts';
import type { Store } from '../engine/store.ts';

/** Transitions that one model call can have: 8 models, some attempts at each, and compactions in between. */
const mostTransitions = 256;

/**
 * The failure of a call that no model of the run's list answered: each model with what it said. With no other model
 * tried it is the last one's own.
 *
 * @param last the failure of the last model.
 */
export async function whenAllFailed(
  store: Store,
  { run }: EffectJob,
  name: string,
  last: RunFailure,
): Promise<RunFailure> {
  const after = Math.max(0, run.seq - mostTransitions);
  const events = await store.query('listEvents', { run: run.pk, after, limit: mostTransitions });
  const since = events.findLastIndex(({ type }) => type === 'model.done') + 1;
  const passed = events.slice(since).flatMap(({ type, body }) => {
    if (type !== 'model.switched') return [];
    const { from, error } = JSON.parse(body) as { from: string; error: RunFailure };
    return [{ name: from, error }];
  });
  if (passed.length === 0) return last;
  const lines = [...passed, { name, error: last }].map(
    ({ name, error }, i) => `(${i + 1}) ${name}: ${error.code}: ${error.message}`,
  );
  return {
    code: 'ALL_MODELS_FAILED',
    message: `none of the ${lines.length} models answered: ${lines.join(' ')}`,
    retryable: last.retryable,
  };
}
