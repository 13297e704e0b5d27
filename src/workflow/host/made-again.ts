import { isDecidedInFork } from '../../call/policy.ts';
import { readLog } from '../../engine/log.ts';
import type { ChartService } from '../facade/chart-services.ts';
import type { WorkflowJob, WorkflowParts } from './workflow-parts.ts';

/**
 * Whether a fork repeats something that its original did with approvals of people. Charts ask people by services of
 * their own, so Detent cannot know which approval a service depends on: the first approval in the fork counts for
 * everything after it. An answer to a question with options or fields is not an approval, since it needs fewer rights.
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

/** Whether a person must first allow a step that the fork's original may have performed. */
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
