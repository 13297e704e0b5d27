import { DetentError } from '../../protocol/error.ts';
import type { RunRow } from '../../store/rows.ts';
import { isOpenEffect } from '../../store/stored-call.ts';
import type { Delivery, Receipt } from '../commit/commit.ts';
import { type ChildEnd, parentOf } from '../commit/links.ts';
import type { Driver } from './driver.ts';
import { whyRefused } from './fit.ts';
import { factPausesMs } from './pauses.ts';

/**
 * Delivers the fact of an effect whose run has ended. Nothing is left to tell if it resolves with another kind than `moved`:
 * the run has ended, has left the effect, or has the fact already.
 *
 * @param settles the row of the letter, which is settled in the commit of the fact
 * @throws why this program cannot move the run, and the store's errors: another look, or another process, must try again
 */
export async function deliverChildEnd(
  driver: Driver,
  { tenant, id: runId }: Pick<RunRow, 'tenant' | 'id'>,
  end: ChildEnd,
  settles: Pick<Delivery, 'settles'>,
): Promise<Receipt['kind']> {
  const { store, hosts } = driver.options;
  const load = (id: string) => store.query('loadRun', { tenant, id });
  const found = await load(runId);
  if (!found || found.ended) return 'ended';
  const refused = whyRefused(driver.options, found);
  if (refused) throw refused;
  const { host, steps } = hosts.migrationPathOf(found);
  if (steps.length > 0) {
    const run = driver.runs.at(found);
    await run.inTurn(() => run.migrate(found));
  }
  const parent = steps.length > 0 ? await load(runId) : found;
  const effect = parent && (await store.query('findEffect', { run: parent.pk, n: end.effectId }));
  if (!effect || !isOpenEffect(effect)) return 'duplicate';
  const child = await load(end.runId);
  const link = child && parentOf(child);
  // The effect has begun another run since, or a copy of the database has this run in another state.
  if (child && (!child.ended || link?.runId !== runId || link.effectId !== end.effectId)) return 'ignored';
  if (!host.childEnded) throw unknownHere(parent);
  const fact = child
    ? await host.childEnded(parent, effect, child)
    : host.effects[effect.name]?.failed(effect.n, gone(end));
  if (!fact) throw unknownHere(parent);
  driver.refuseWhenStopped();
  return (await driver.runs.at({ tenant, id: runId }).send({ ...fact, ...settles }, factPausesMs)).kind;
}

function unknownHere({ id, machine }: RunRow): DetentError {
  return new DetentError(
    'UNKNOWN_COMMAND',
    `a run that ${id} started has ended, but this program cannot deliver the result: its machine "${machine}" starts no runs here; use the program that made the run`,
    { details: { runId: id } },
  );
}

function gone({ runId }: ChildEnd): DetentError {
  return new DetentError('NOT_FOUND', `run ${runId} was deleted before its result was read`, {
    details: { runId },
  });
}
