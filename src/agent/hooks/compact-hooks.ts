import type { EffectJob } from '../../engine/machine-host.ts';
import type { AgentServices } from '../services.ts';
import { hasHooks, hookedRun, noteHooks, runHooks, type Stopped } from './run-hooks.ts';

/** What was said of the compaction that is under way, by run; it is asked again after a crash. */
const said = new WeakMap<object, { stopped: Stopped | null }>();

/** Asks the hooks whether older messages may be summarised; once for the flush and the summary of one compaction. */
export async function mayCompact({ hooks }: AgentServices, job: EffectJob): Promise<Stopped | null> {
  if (!hasHooks(hooks, 'beforeCompact')) return null;
  const before = said.get(job.memory);
  if (before) return before.stopped;
  const { stopped, records } = await runHooks(hooks, 'beforeCompact', job.signal, {
    value: null,
    viewOf: () => ({ ...hookedRun(job.run), isAsked: isOnlyCompaction(job) }),
  });
  noteHooks(job, records);
  said.set(job.memory, { stopped });
  return stopped;
}

/** A model call begins: the next compaction is another one. */
export function forgetCompaction({ memory }: EffectJob): void {
  said.delete(memory);
}

/** Whether somebody asked for a compaction and nothing else. */
export function isOnlyCompaction({ run }: Pick<EffectJob, 'run'>): boolean {
  return (JSON.parse(run.input) as { only?: string }).only === 'compact';
}
