import type { RunView } from '../../protocol/views.ts';
import type { Call } from './method.ts';

/**
 * The view of a run, with the commands that are legal now.
 *
 * @param known the view, if it was read already
 */
export async function viewOf(
  { detent, caller: { tenantId } }: Pick<Call, 'detent' | 'caller'>,
  runId: string,
  known: RunView | null = null,
) {
  const view = known ?? (await detent.runs.show(runId, tenantId));
  return { ...view, allowed: await detent.runs.allowed(runId, tenantId) };
}
