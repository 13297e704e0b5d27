import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, createMachine } from 'xstate';
import { ChartActions } from '../../../src/workflow/facade/chart-actions.ts';
import { performAction } from '../../../src/workflow/host/perform-action.ts';
import type { WorkflowJob } from '../../../src/workflow/host/workflow-parts.ts';

const redact = (text: string) => text.replaceAll('s3cret', '[secret]');

async function performed(act: (...given: never[]) => unknown, params: object) {
  const chart = createMachine(
    { id: 'chart' },
    { actions: { act: act as never } },
  ) as unknown as AnyStateMachine;
  const job = { effectId: 7, params: { name: 'act', ...params } } as unknown as WorkflowJob;
  const { event } = await performAction({ redact }, new ChartActions(chart), job);
  return event;
}

describe('an action', () => {
  it('is called as xstate calls it, with what its row has kept', async () => {
    const calls: unknown[] = [];
    const act = ({ context, event }: Record<string, unknown>, params: unknown) =>
      void calls.push([context, event, params]);
    const given = { context: { n: 1 }, event: { type: 'go' } };
    expect(await performed(act, { given, params: { to: 'x' } })).toEqual({
      type: 'action.done',
      effectId: 7,
    });
    await performed(act, { given });
    expect(calls).toEqual([
      [{ n: 1 }, { type: 'go' }, { to: 'x' }],
      [{ n: 1 }, { type: 'go' }, undefined],
    ]);
  });

  it.each([
    ['self', 'has no live actor'],
    ['system', 'has no live actor'],
    ['context', 'is too large to be kept for it'],
  ])('that reads "%s" fails, and says what it may read', async (field, why) => {
    const event = await performed((args: Record<string, unknown>) => args[field], {});
    expect(event).toMatchObject({ error: { message: expect.stringContaining(why) } });
  });

  it('fails without known secrets in its words', async () => {
    const event = await performed(() => Promise.reject(new Error('no s3cret')), {});
    expect(event).toMatchObject({ error: { code: 'SERVICE_FAILED', message: 'no [secret]' } });
  });

  it('fails when the chart does not have it any more', async () => {
    const event = await performed(() => {}, { name: 'other' });
    expect(event).toMatchObject({
      error: { message: expect.stringContaining('no action "other" any more') },
    });
  });
});
