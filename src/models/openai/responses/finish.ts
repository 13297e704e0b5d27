import type { FinishKind } from '../../../protocol/answer.ts';
import { finishKind } from '../finish.ts';

/**
 * Maps the status of a response to ours.
 *
 * @param why the `reason` of its `incomplete_details`
 */
export function finishOf(
  status: string | null,
  why: string | null,
  came: { toolCalls: boolean; refusal: boolean },
): FinishKind {
  if (status === 'completed') return finishKind('stop', came);
  return status === 'incomplete' ? finishKind(why, came) : 'unknown';
}
