import { ask, type Store } from './statements.ts';

/** A crash while an effect waits for a run is not the effect's fault, so the attempt does not count towards `POISONED`. */
export async function uncountAttempt(
  store: Pick<Store, 'commit'>,
  place: { run: number; n: number },
): Promise<void> {
  await store.commit(function* () {
    const effect = yield* ask('findEffect', place);
    if (effect && effect.attempt > 1) yield* ask('uncountAttempt', { ...place, fence: effect.fence });
  });
}
