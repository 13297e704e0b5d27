import { isDecidedInFork } from '../../call/approval.ts';
import { readLog } from '../../engine/read-log.ts';
import type { ChartService } from '../facade/chart-services.ts';
import type { WorkflowJob, WorkflowParts } from './workflow-parts.ts';

/**
 * Whether a fork makes what its original made, on what people approved for that. Charts ask people by services of their own, so
 * nobody knows which approval a service rests on: the first one that a person gives the fork counts for all that comes after it.
 * An answer to a question of options or fields is none: it takes less than the right to approve.
 */
export async function isMadeAgain(
  { store }: Pick<WorkflowParts, 'store'>,
  services: ReadonlyMap<string, ChartService>,
  { run, options }: Pick<WorkflowJob, 'run' | 'options'>,
): Promise<boolean> {
  if (options.forkedAt === undefined) return false;
  for await (const { type, body } of readLog(store, run.pk, { after: options.forkedAt })) {
    if (type !== 'service.done') continue;
    const { effectId, output } = JSON.parse(body) as { effectId: number; output?: { approved?: unknown } };
    const effect = await store.query('findEffect', { run: run.pk, n: effectId });
    const { src } = JSON.parse(effect?.params ?? '{}') as { src?: string };
    const service = services.get(src ?? '');
    if (service?.kind !== 'ask' || service.options || service.form) continue;
    if (output?.approved === true) return false;
  }
  return true;
}

/** Whether a person must say first that a step may act, which the original of a fork may have performed. */
export async function mustAskAgain(
  parts: Pick<WorkflowParts, 'store'>,
  services: ReadonlyMap<string, ChartService>,
  job: WorkflowJob,
  { sideEffect, first }: { sideEffect: string; first: number },
): Promise<boolean> {
  if (sideEffect === 'readonly' || !(await isMadeAgain(parts, services, job))) return false;
  for (const n of new Set([first, job.effectId]))
    if (await isDecidedInFork(parts.store, job.run, n)) return false;
  return true;
}
