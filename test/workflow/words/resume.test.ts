import { expect, it } from 'vitest';
import refund from '../../../examples/workflows/refund.machine.ts';
import { createDetent } from '../../../src/index.ts';
import { type ScriptLine, scriptedModel } from '../../../src/testing/index.ts';
import { gate, temporaryWorkspace, tool } from '../../support/detent.ts';
import { claim, large } from './support.ts';

it('who resumes a workflow resumes the runs of its services, and settled waits for them', async () => {
  const workspace = await temporaryWorkspace();
  const open = (script: readonly ScriptLine[]) =>
    createDetent({
      workspace,
      env: {},
      model: 'test/script',
      models: { test: scriptedModel(script) },
      workflows: [refund],
      tools: { define: [tool('refund_payment', { run: () => 'payment p1' })] },
    });
  const thinking = gate();
  const first = open([
    async () => {
      await thinking.pass();
      return large as never;
    },
  ]);
  const run = first.workflows.start(refund, claim);
  await thinking.reached;
  await first.close();
  thinking.open();
  const second = open([large]);
  try {
    expect(await second.runs.show(run.runId)).toMatchObject({ status: 'interrupted' });
    expect(await second.runs.why(run.runId)).toMatchObject({
      cause: 'process_died',
      summary: expect.stringContaining('it is waiting for "assess"'),
      next: expect.arrayContaining([expect.objectContaining({ command: `detent runs resume ${run.runId}` })]),
    });
    await second.runs.resume({ runId: run.runId });
    expect(await second.runs.attach(run.runId).result).toMatchObject({
      status: 'waiting',
      workflow: { state: 'approving' },
    });
  } finally {
    await second.close();
  }
});
