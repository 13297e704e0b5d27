import { describe, expect, it } from 'vitest';
import { fromPromise, setup } from 'xstate';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { workflow } from '../../src/workflow/workflow.ts';
import { orderWorkflow } from '../support/order-workflow.ts';

const over = (id: string) =>
  setup({}).createMachine({ id, version: '1', initial: 'over', states: { over: { type: 'final' } } });

async function refusal(workflows: ReturnType<typeof workflow>[]) {
  const detent = createDetent({ store: 'in-process', workflows });
  const error = await detent.workflows.list().catch((thrown: unknown) => thrown);
  await detent.close();
  return error;
}

describe('createDetent({ workflows })', () => {
  it('refuses a chart that cannot run durably at its first use', async () => {
    const chart = setup({ actors: { look: fromPromise(async () => 1) } }).createMachine({
      id: 'faulty',
      version: '1',
      initial: 'looking',
      states: {
        looking: { invoke: { id: 'look', src: 'look', onDone: 'over', onError: 'over' } },
        over: { type: 'final' },
      },
    });
    expect(await refusal([workflow(over('fine')), workflow(chart)])).toMatchObject({
      code: 'INVALID_WORKFLOW',
      details: { id: 'faulty', findings: [{ code: 'NOT_DURABLE', state: 'faulty.looking' }] },
    });
  });

  it('refuses two of one id, also of one chart', async () => {
    const same = over('twin');
    for (const workflows of [
      [over('twin'), over('twin')],
      [same, same],
    ])
      expect(await refusal(workflows.map((chart) => workflow(chart)))).toMatchObject({
        code: 'INVALID_WORKFLOW',
        message: 'two charts have the id "twin"; give each its own',
      });
  });
});

it('tells what the input and the events of a workflow must bring, as far as a schema says it', async () => {
  const detent = createDetent({ store: 'in-process', workflows: [orderWorkflow] });
  const { input, events, payloads } = await detent.workflows.get('order');
  await detent.close();
  expect(input).toMatchObject({ properties: { order: { type: 'string' } }, required: ['order'] });
  expect(events).toEqual(['order.recalled', 'parcel.sent']);
  // The type of an event is no part of its payload.
  expect(payloads).toEqual({
    'parcel.sent': expect.objectContaining({ properties: { note: { type: 'string' } }, required: [] }),
  });
});
