import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { ask, step, tool as toolService, workflow } from '../../../src/workflow/index.ts';
import { scripted, tool } from '../../support/detent.ts';

type SideEffect = 'readonly' | 'idempotent' | 'unsafe';

/** A workflow that asks a person, looks at something, and then pays. */
async function refund(pays: 'step' | 'tool' | 'workflow', sideEffect: SideEffect = 'unsafe') {
  const paid: string[] = [];
  const run = () => `paid ${paid.push('refund')}`;
  const pay = tool('pay', { sideEffect, confirm: false, run });
  const paying = step({ sideEffect, run: async () => run() });
  const below = setup({ actors: { pay: paying } }).createMachine({
    id: 'below',
    version: '1',
    initial: 'paying',
    states: {
      paying: { invoke: { id: 'pay', src: 'pay', onDone: 'paid', onError: 'failed' } },
      paid: { type: 'final' },
      failed: { type: 'final' },
    },
  });
  const actors = { step: paying, tool: toolService('pay'), workflow: below };
  const chart = setup({
    actors: {
      approve: ask({ question: () => 'Refund?' }),
      look: step({ sideEffect: 'readonly', run: async () => 'seen' }),
      pay: actors[pays] as typeof paying,
    },
  }).createMachine({
    id: 'refund',
    version: '1',
    initial: 'approving',
    states: {
      approving: { invoke: { id: 'approve', src: 'approve', onDone: 'looking', onError: 'failed' } },
      looking: { invoke: { id: 'look', src: 'look', onDone: 'paying', onError: 'failed' } },
      paying: { invoke: { id: 'pay', src: 'pay', input: {}, onDone: 'paid', onError: 'failed' } },
      paid: { type: 'final' },
      failed: { type: 'final' },
    },
  });
  const workflows = [workflow(chart), ...(pays === 'workflow' ? [workflow(below)] : [])];
  const { detent } = await scripted([], { workflows, tools: { define: [pay] } });
  const original = detent.workflows.start('refund', null);
  await original.result;
  await detent.workflows.answer(original.runId, 'approve', { approved: true });
  expect(await original.result).toMatchObject({ status: 'done', workflow: { state: 'paid' } });
  const seqIn = async (state: string) =>
    (await detent.runs.events(original.runId)).find(({ path }) => path === state)?.seq ?? 0;
  const forkIn = async (state: string) => {
    const { runId } = await detent.runs.fork(original.runId, { at: await seqIn(state) });
    await detent.runs.resume({ runId });
    return { runId, view: await detent.runs.attach(runId).result };
  };
  return { detent, forkIn, paid };
}

describe('a fork behind what a person approved', () => {
  it.each([
    ['step', 'paying'],
    ['step', 'looking'],
    ['tool', 'paying'],
    ['tool', 'looking'],
    ['workflow', 'paying'],
    ['workflow', 'looking'],
  ] as const)('asks before its %s pays, from "%s" on', async (pays, state) => {
    const { forkIn, paid } = await refund(pays);
    const { view } = await forkIn(state);
    expect(view).toMatchObject({ status: 'waiting', pending: [{ kind: 'reconcile' }] });
    expect(view.pending[0]?.why).toContain('in the original of this fork');
    expect(paid).toEqual(['refund']);
  });

  it.each(['step', 'tool'] as const)('asks for a %s whose repeat has another key, too', async (pays) => {
    const { forkIn, paid } = await refund(pays, 'idempotent');
    expect((await forkIn('paying')).view).toMatchObject({ status: 'waiting' });
    expect(paid).toEqual(['refund']);
  });

  it('does not ask for what only reads', async () => {
    const { forkIn } = await refund('step', 'readonly');
    expect((await forkIn('approving')).view).toMatchObject({ pending: [{ kind: 'confirm' }] });
    expect((await forkIn('looking')).view).toMatchObject({ status: 'done', workflow: { state: 'paid' } });
  });

  it.each(['step', 'tool', 'workflow'] as const)('pays by a %s once a person says so', async (pays) => {
    const { detent, forkIn, paid } = await refund(pays);
    const { runId, view } = await forkIn('looking');
    const [asked] = view.pending;
    await detent.runs.reconcile(asked?.runId ?? runId, String(asked?.callId), { verdict: 'retry' });
    expect(await detent.runs.attach(runId).result).toMatchObject({ workflow: { state: 'paid' } });
    expect(paid).toEqual(['refund', 'refund']);
  });

  it('takes the first approval of its own for all that comes after it', async () => {
    const { detent, forkIn, paid } = await refund('step');
    const { runId } = await forkIn('approving');
    await detent.workflows.answer(runId, 'approve', { approved: true });
    expect(await detent.runs.attach(runId).result).toMatchObject({ workflow: { state: 'paid' } });
    expect(paid).toEqual(['refund', 'refund']);
  });
});
