import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import refund from '../../../examples/workflows/refund.machine.ts';
import { defineTool } from '../../../src/index.ts';
import { scripted } from '../../support/detent.ts';

const paid: unknown[] = [];
const pay = defineTool({
  name: 'refund_payment',
  description: 'Pays money back.',
  parameters: z.object({ order: z.string(), amount: z.number() }),
  sideEffect: 'unsafe',
  run: (args, { idempotencyKey }) => {
    paid.push({ ...args, idempotencyKey });
    return 'payment p1';
  },
});

const claim = (risk: 'low' | 'high') => ({ output: { amount: 40, risk, why: 'it broke' } });

describe('the refund of the examples', () => {
  it('is assessed by an agent, and paid by a tool that asks by its own policy', async () => {
    const { detent } = await scripted([claim('low')], { workflows: [refund], tools: { define: [pay] } });
    const run = detent.workflows.start(refund, { order: 'A1', complaint: 'broken' });
    const view = await run.result;
    expect(view.status).toBe('waiting');
    await run.answer('pay', { approved: true });
    const { status, workflow } = await run.result;
    expect({ status, output: workflow.output }).toEqual({
      status: 'done',
      output: { outcome: 'refunded', why: 'it broke' },
    });
    expect(paid).toEqual([{ order: 'A1', amount: 40, idempotencyKey: `${run.runId}:2` }]);
  });
});
