import { expect, it } from 'vitest';
import { setup } from 'xstate';
import { model, workflow } from '../../../src/workflow/index.ts';
import { scripted, tool } from '../../support/detent.ts';

const costing = (inputTokens: number) => ({ usage: { inputTokens, outputTokens: 1 } });

it('two runs that read the same untrusted text, at other moments, do not diverge', async () => {
  const look = { toolCalls: [{ name: 'look' }] };
  const script = [look, { text: 'seen' }, { ...look, ...costing(9) }, { text: 'seen' }];
  const { detent } = await scripted(script, { tools: { define: [tool('look', { untrusted: true })] } });
  const [a, b] = [await detent.run('go').result, await detent.run('go').result];
  expect(await detent.runs.diff(a.runId, b.runId)).toMatchObject({ common: 4, parting: null });
});

it('two runs of a workflow do not diverge at when their services began, or at what they cost', async () => {
  const actors = { one: model({ prompt: () => 'one' }), two: model({ prompt: () => 'two' }) };
  const chart = setup({ actors }).createMachine({
    id: 'pair',
    initial: 'asking',
    states: {
      asking: { invoke: { id: 'one', src: 'one', onDone: 'again' } },
      again: { invoke: { id: 'two', src: 'two', onDone: 'over' } },
      over: { type: 'final' },
    },
  });
  const script = [1, 2, 3, 4].map((n) => ({ text: 'Hi', ...costing(n) }));
  const { detent } = await scripted(script, { workflows: [workflow(chart)] });
  const run = () => detent.workflows.start('pair').result as Promise<{ runId: string }>;
  const [a, b] = [await run(), await run()];
  expect((await detent.runs.diff(a.runId, b.runId)).parting).toBeNull();
});
