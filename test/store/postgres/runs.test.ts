import { expect, it } from 'vitest';
import * as z from 'zod';
import { createDetent, defineTool } from '../../../src/index.ts';
import { openPostgres } from '../../../src/store/postgres.ts';
import { type ScriptLine, scriptedModel } from '../../../src/testing/index.ts';
import { itDeep } from '../../support/deep.ts';
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

it('runs of one session that are asked for at once keep that order', async () => {
  const prompts = Array.from({ length: 8 }, (_, n) => `number ${n}`);
  const { detent, close } = await onPostgres(
    await newDatabase(),
    prompts.map((text) => ({ text })),
  );
  await Promise.all(prompts.map((prompt) => detent.run(prompt, { sessionId: 's' }).result));
  const made = (await detent.runs.list()).toReversed();
  expect(made.map(({ prompt }) => prompt)).toEqual(prompts);
  await close();
});

itDeep(
  'a process decides about a run of another one that works beside it, and hears of its end',
  async () => {
    const url = await newDatabase();
    const first = await onPostgres(url, [
      { toolCalls: [{ name: 'buy', arguments: { name: 'bowl' } }] },
      { text: 'Bought.' },
    ]);
    const run = first.detent.run('Buy a bowl');
    const { runId, pending } = await run.result;
    const second = await onPostgres(url, []);
    expect(await second.detent.runs.list()).toMatchObject([{ runId, status: 'waiting' }]);
    // The first process has the model: it hears of the decision.
    const ended = second.detent.runs.attach(runId).result;
    for (const { callId, argumentsHash } of pending)
      await second.detent.runs.confirm(runId, callId, { verdict: 'approve', hash: argumentsHash });
    expect(await first.detent.runs.attach(runId).result).toMatchObject({ status: 'done', text: 'Bought.' });
    await ended;
    await second.close();
    await first.close();
  },
);
