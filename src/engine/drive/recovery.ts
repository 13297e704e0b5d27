import type { Program } from '../../store/program.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Clock } from '../clock.ts';
import { checkFence, type Delivery, type HotRun, type StartedEffect } from '../commit/commit.ts';
import { notFound } from '../commit/errors.ts';
import { ask, type Store } from '../commit/statements.ts';
import type { MachineHost } from '../machine/machine-host.ts';

/** After this many attempts of one effect without a fact, its run fails. */
const maxAttempts = 3;

/** The run whose effects are recovered. */
interface Recovering {
  send(delivery: Omit<Delivery, 'at'>): Promise<unknown>;
  perform(host: MachineHost, hot: HotRun, effect: StartedEffect, interrupted: boolean): Promise<void>;
}

interface RecoveryParts {
  host: MachineHost;
  store: Store;
  clock: Clock;
}

/**
 * Recovers the effects that an earlier driver left in flight. A `pending` effect never began, so it starts. A `started`
 * one may have had its effect: its handler decides whether to perform it again.
 */
export async function recover(
  recovering: Recovering,
  hot: HotRun,
  { host, store, clock }: RecoveryParts,
): Promise<void> {
  const { row, snapshot } = hot;
  const run = row.pk;
  for (const effect of await store.query('listOpenEffects', { run })) {
    if (effect.status !== 'pending' && effect.status !== 'started') continue;
    const handler = host.effects[effect.name];
    if (!handler) continue;
    const interrupted = effect.status === 'started';
    if (interrupted && effect.attempt >= maxAttempts) {
      await recovering.send({ event: host.poisoned(effect.n), settleAs: 'cancelled' });
      // A chart may go on without it, and then its other effects are recovered.
      continue;
    }
    if (interrupted && handler.recover(effect, snapshot.context) === 'uncertain' && handler.uncertain) {
      await recovering.send({ ...handler.uncertain(effect.n), settleAs: 'uncertain' });
      continue;
    }
    const at = clock.now();
    const { driver, fence } = row;
    const start = { run, n: effect.n, driver, fence, status: 'started', attempts: 1, at } as const;
    const started = await store.commit(function* () {
      yield* checkFence(row);
      return yield* ask('startEffect', start);
    });
    // 0 rows changed: a fact of another effect has ended this one meanwhile.
    if (started === 0) continue;
    const again = { ...effect, params: JSON.parse(effect.params), attempt: effect.attempt + 1 };
    void recovering.perform(host, hot, again, interrupted);
  }
}

/** Counts a throw of the run's machine. Returns the new count. @throws DetentError `NOT_FOUND`. */
export function* countFault(tenant: number, runId: string): Program<{ count: number; row: RunRow }> {
  const row = yield* ask('loadRun', { tenant, id: runId });
  if (!row) throw notFound(runId);
  yield* ask('countFault', { pk: row.pk });
  return { count: row.faults + 1, row };
}
