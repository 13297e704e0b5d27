import type { Call } from './method.ts';

/** The view of a run, with the commands that are legal now. */
export async function viewOf({ detent, caller }: Pick<Call, 'detent' | 'caller'>, runId: string) {
  const view = await detent.runs.show(runId, caller.tenantId);
  return { ...view, allowed: await detent.runs.allowed(runId, caller.tenantId) };
}
