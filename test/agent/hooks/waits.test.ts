import { expect, it } from 'vitest';
import type { DetentOptions, RunDecided, RunWaiting } from '../../../src/index.ts';
import { createDetent } from '../../../src/index.ts';
import { fakeClock, type ScriptLine, scriptedModel } from '../../../src/testing/index.ts';
import { modelOptions, scripted, temporaryWorkspace, tool } from '../../support/detent.ts';
import { orderWorkflow } from '../../support/order-workflow.ts';

const buy: ScriptLine = { toolCalls: [{ name: 'buy', arguments: { packs: 2 } }] };
const tools = { define: [tool('buy', { sideEffect: 'unsafe' })] };

function told() {
  const waits: RunWaiting[] = [];
  const decisions: RunDecided[] = [];
  const hooks: DetentOptions['hooks'] = {
    runWaiting: [(view) => void waits.push(view)],
    runDecided: [(view) => void decisions.push(view)],
  };
  return { waits, decisions, hooks };
}

it('are told once that a run waits, by which rule, and of the decision: who, and after how long', async () => {
  const { waits, decisions, hooks } = told();
  const clock = fakeClock();
  const { detent } = await scripted([buy, { text: 'ok' }], { hooks, tools, clock });
  const { runId } = await detent.run('go', { sessionId: 's' }).result;
  const asked = { runId, sessionId: 's', tenantId: 1, callId: 'c2', kind: 'confirm', tool: 'buy' };
  await expect
    .poll(() => waits)
    .toEqual([
      {
        ...{ ...asked, userId: null, agent: 'default', parentRunId: null, arguments: '{"packs":2}' },
        ...{ why: expect.stringContaining('buy'), askedAt: clock.now() },
      },
    ]);
  await clock.advance(90_000);
  await detent.runs.confirm(runId, 'c2', { verdict: 'approve', by: 'ann' });
  await detent.runs.attach(runId).result;
  await expect.poll(() => decisions).toHaveLength(1);
  expect(decisions[0]).toMatchObject({ ...asked, verdict: 'approve', by: 'ann', waitedMs: 90_000 });
  expect(waits).toHaveLength(1);
});

it('are told of questions of the model and of a workflow, of calls of the client, and of what nobody decided', async () => {
  const { waits, decisions, hooks } = told();
  const clock = fakeClock();
  const question = { toolCalls: [{ name: 'ask_user', arguments: { question: 'Which tea?' } }] };
  const { detent } = await scripted([question, { toolCalls: [{ name: 'scan' }] }, { text: 'ok' }], {
    ...{ hooks, clock, workflows: [orderWorkflow], limits: { confirmExpiryMs: 1_000 } },
  });
  const asking = await detent.run('go').result;
  await detent.run('go', { clientTools: [{ name: 'scan' }] }).result;
  const order = await detent.workflows.start('order', { order: 'o1' }).result;
  await expect.poll(() => waits.map(({ kind }) => kind)).toEqual(['question', 'client', 'confirm']);
  expect(waits[2]).toMatchObject({ parentRunId: order.runId });
  await detent.runs.steer(asking.runId, 'green');
  await clock.advance(8 * 86_400_000);
  await expect
    .poll(() => decisions.map(({ verdict }) => verdict).sort())
    .toEqual(['expired', 'expired', 'withdrawn']);
  expect(decisions.map(({ by }) => by)).toEqual([null, null, null]);
});

it('are told by the next process what the one before could not tell, and nothing twice', async () => {
  const workspace = await temporaryWorkspace();
  const of = (options: DetentOptions) => {
    const model = scriptedModel([buy, { text: 'ok' }]);
    const { store: _, ...onDisk } = modelOptions(model, { workspace, tools, ...options });
    return createDetent(onDisk);
  };
  const before = of({});
  const { runId } = await before.run('go').result;
  await before.close();
  const { waits, decisions, hooks } = told();
  for (let starts = 0; starts < 2; starts++) {
    const after = of({ hooks });
    await after.runs.resume();
    await expect.poll(() => waits.map((view) => view.runId)).toEqual([runId]);
    await after.close();
  }
  const deciding = of({});
  await deciding.runs.confirm(runId, 'c2', { verdict: 'reject' });
  await deciding.close();
  const last = of({ hooks });
  await last.runs.resume();
  await expect.poll(() => decisions.map(({ verdict }) => verdict)).toEqual(['reject']);
  await last.close();
  expect(waits).toHaveLength(1);
});

it('that throw change nothing, are reported, and are not called again', async () => {
  const reported: unknown[] = [];
  const { detent } = await scripted([buy, { text: 'ok' }], {
    tools,
    hooks: { runWaiting: [() => Promise.reject(new Error('no mail'))] },
    onError: (error) => void reported.push(error),
  });
  const { runId } = await detent.run('go').result;
  await expect.poll(() => reported.length).toBe(1);
  await detent.runs.confirm(runId, 'c2', { verdict: 'approve' });
  expect(await detent.runs.attach(runId).result).toMatchObject({ status: 'done' });
  expect(reported).toEqual([expect.objectContaining({ code: 'HOOK_FAILED' })]);
});
