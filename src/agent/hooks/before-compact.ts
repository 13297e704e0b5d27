import { hasHooks, hookedRun, runHooks, type Stopped } from '../../call/hooks.ts';
import type { RunEffect, RunJob } from '../effect/run-effect.ts';
import type { AgentServices } from '../services.ts';

/** Calls the `beforeCompact` hooks, once for the flush and the summary of one compaction. */
export async function mayCompact({ hooks }: AgentServices, job: RunEffect): Promise<Stopped | null> {
  if (!hasHooks(hooks, 'beforeCompact')) return null;
  const { cache, notes, run, options } = job;
  if (cache.compaction) return cache.compaction.stopped;
  const { stopped, records } = await runHooks(hooks, 'beforeCompact', job.signal, {
    value: null,
    viewOf: () => ({ ...hookedRun(run, options), isAsked: isOnlyCompaction(job) }),
  });
  notes.hooks.push(...records);
  cache.compaction = { stopped };
  return stopped;
}

/** Whether the run is only to compact. */
export function isOnlyCompaction({ run }: Pick<RunJob, 'run'>): boolean {
  return (JSON.parse(run.input) as { only?: string }).only === 'compact';
}
