import { expect, it } from 'vitest';
import { gate, scripted, tool } from '../../support/detent.ts';
import { orderWorkflow } from '../../support/order-workflow.ts';

const ann = { principal: { userId: 'ann' } };
const by = 'bob';

it('of a session that staff has, a fork is a session of its own, in which the agent answers; a takeover has none', async () => {
  const { detent } = await scripted([{ text: 'hello' }, { text: 'as I said' }]);
  const { runId: asked } = await detent.run('hi', { ...ann, sessionId: 's' }).result;
  const { runId } = await detent.sessions.takeOver('s', { by });
  const fork = await detent.sessions.fork('s', { runId: asked, seq: 2, sessionId: 'f' });
  expect(fork.sessionId).toBe('f');
  expect(await detent.run('again', { ...ann, sessionId: 'f' }).result).toMatchObject({ text: 'as I said' });
  expect((await detent.sessions.show('f')).takenOver).toBe(undefined);
  expect((await detent.sessions.show('s')).takenOver).toMatchObject({ state: 'taken', by });
  const refused = { code: 'TAKEN_OVER' };
  await expect(detent.sessions.fork('s', { runId, seq: 1, sessionId: 'g' })).rejects.toMatchObject(refused);
  await expect(detent.runs.fork(runId, { at: 1 })).rejects.toMatchObject(refused);
});

it('a workflow is not taken over, and neither is the session of a task; its parent is, and the task ends', async () => {
  const waits = gate();
  const look = tool('look', {
    run: async (_, { signal }) => {
      await waits.pass(signal);
      return 'seen';
    },
  });
  const tasks = {
    toolCalls: [{ name: 'task', arguments: { agent: 'helper', prompt: 'look', description: 'look' } }],
  };
  const { detent } = await scripted([tasks, { toolCalls: [{ name: 'look', arguments: {} }] }], {
    tools: { define: [look] },
    agents: { helper: { systemPrompt: 'You help.' } },
    workflows: [orderWorkflow],
  });
  const flow = detent.workflows.start('order', { order: 'tea' }, ann);
  await flow.started;
  const { sessionId } = await detent.runs.show(flow.runId);
  await expect(detent.sessions.takeOver(sessionId, { by })).rejects.toMatchObject({
    code: 'WORKFLOW_AT_WORK',
  });

  const run = detent.run('help', { ...ann, sessionId: 's', approve: 'all' });
  await waits.reached;
  const task = (await detent.runs.list()).find(({ parentRunId }) => parentRunId === run.runId);
  await expect(detent.sessions.takeOver(task?.sessionId ?? '', { by })).rejects.toMatchObject({
    code: 'NOT_A_CONVERSATION',
  });
  await detent.sessions.takeOver('s', { by });
  expect(await run.result).toMatchObject({ status: 'cancelled' });
  await expect.poll(async () => (await detent.runs.show(task?.runId ?? '')).status).toBe('cancelled');
});
