import { expect, it } from 'vitest';
import * as z from 'zod';
import { createDetent, defineTool } from '../../../src/index.ts';
import { openPostgres } from '../../../src/store/postgres.ts';
import { type ScriptLine, scriptedModel } from '../../../src/testing/index.ts';
import { modelOptions } from '../../support/detent.ts';
import { orderWorkflow } from '../../support/order-workflow.ts';
import { newDatabase } from '../../support/postgres.ts';

let bought = 0;
const buy = defineTool({
  name: 'buy',
  description: 'Buys one.',
  parameters: z.object({ name: z.string() }),
  sideEffect: 'unsafe',
  run: ({ name }) => {
    bought++;
    return `bought ${name}`;
  },
});

async function onPostgres(url: string, lines: readonly ScriptLine[]) {
  const store = await openPostgres({ url });
  const options = { store, tools: { define: [buy] }, workflows: [orderWorkflow] };
  const detent = createDetent(modelOptions(scriptedModel(lines), options));
  const close = async () => {
    await detent.close();
    await store.close();
  };
  return { detent, close };
}

it('a run waits for a person in a database, and another process goes on with it, replays it and forks it', async () => {
  const url = await newDatabase();
  const prompt = 'Buy a lamp \0 \ud800';
  const first = await onPostgres(url, [{ toolCalls: [{ name: 'buy', arguments: { name: 'lamp' } }] }]);
  const { runId, status, pending } = await first.detent.run(prompt).result;
  expect(status).toBe('waiting');
  await first.close();

  const { detent, close } = await onPostgres(url, [{ text: 'Here you are.' }, { text: 'Another way.' }]);
  for (const { callId, argumentsHash } of pending)
    await detent.runs.confirm(runId, callId, { verdict: 'approve', hash: argumentsHash });
  await detent.runs.resume();
  expect(await detent.runs.attach(runId).result).toMatchObject({ status: 'done', text: 'Here you are.' });
  expect(bought).toBe(1);
  expect((await detent.runs.list()).find((run) => run.runId === runId)?.prompt).toBe(prompt);
  expect((await detent.runs.list()).map((run) => run.runId)).toEqual([runId]);
  expect((await detent.runs.replay(runId)).diverged).toBeNull();
  const forked = await detent.runs.fork(runId, { at: 0, editMessage: 'Do it otherwise' });
  await detent.runs.resume({ runId: forked.runId });
  expect(await detent.runs.attach(forked.runId).result).toMatchObject({ text: 'Another way.' });
  await close();
});

it('a workflow asks a person, waits for an event, and ends', async () => {
  const { detent, close } = await onPostgres(await newDatabase(), []);
  const run = detent.workflows.start('order', { order: 'A-1' });
  expect((await run.result).pending).toMatchObject([{ kind: 'confirm' }]);
  await detent.workflows.answer(run.runId, 'approval', { approved: true });
  await detent.runs.attach(run.runId).result;
  await detent.workflows.send(run.runId, { type: 'parcel.sent', note: 'by bike' });
  expect(await detent.runs.attach(run.runId).result).toMatchObject({ status: 'done' });
  await close();
});
