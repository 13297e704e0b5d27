import { type ChatModel, createCore, type Host } from 'detent/core';
import { workflows } from 'detent/core/workflows';
import { type Returns, returnWorkflow } from './return.machine.ts';

/**
 * The returns of the app. Call it once, and `core.runs.resume()` after it: that continues what an earlier process of the app left,
 * and fires the timers that came due in between.
 */
export function openReturns(host: Host, model: ChatModel, returns: Returns) {
  const core = createCore({
    host,
    models: { phone: model },
    model: 'phone/small',
    workflows: workflows([returnWorkflow(returns)]),
  });
  if (!core.workflows) throw new Error('a core with workflows has them');
  return { core, workflows: core.workflows };
}
