import type { Detent } from '../../index.ts';

/** The run that a person started, of which this one is a task, or a task of a task. */
export async function topRun(detent: Detent, runId: string): Promise<string> {
  for (let id = runId; ; ) {
    const { parentRunId, status } = await detent.runs.show(id);
    if (parentRunId === undefined) return id;
    const parent = await detent.runs.show(parentRunId).catch(() => null);
    // One that has ended, or was deleted, carries nothing on.
    if (!parent || ['done', 'failed', 'cancelled'].includes(parent.status) || status === 'done') return id;
    id = parentRunId;
  }
}
