import refund from '../../../examples/workflows/refund.machine.ts';
import type { WorkflowHandle } from '../../../src/runtime/api/workflows.ts';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { scripted, tool } from '../../support/detent.ts';

export const claim = { order: 'o1', complaint: 'broken' };

/** An assessment that a person must approve. */
export const large: ScriptLine = {
  text: JSON.stringify({ amount: 90, risk: 'high', why: 'it came broken' }),
};

/** A Detent with the refund workflow of the examples. */
export async function withRefund(script: readonly ScriptLine[] = [large]) {
  const pay = tool('refund_payment', { sideEffect: 'readonly', run: () => 'payment p1' });
  const made = await scripted(script, { workflows: [refund], tools: { define: [pay] } });
  return { ...made, start: (): WorkflowHandle => made.detent.workflows.start(refund, claim) };
}
