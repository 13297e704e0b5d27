/**
 * Tests of an agent, with Node's own test runner; any other works as well.
 *
 *     node --test examples/test-your-agent.test.ts
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDetent, defineTool } from 'detent';
import { fakeClock, type ScriptLine, scriptedModel } from 'detent/testing';

const dayMs = 24 * 60 * 60 * 1000;

describe('the refund agent', () => {
  it('pays back once a person has approved', async () => {
    const { detent, refunds, model } = agent([callRefund, { text: 'It is paid back.' }]);
    const run = detent.run('Please pay back order A-17.');
    const { status, pending } = await run.result;
    assert.equal(status, 'waiting');
    assert.deepEqual(pending[0]?.arguments, { order: 'A-17' });

    await run.confirm(pending[0]?.callId ?? '', { verdict: 'approve' });
    const { text } = await run.result;
    assert.equal(text, 'It is paid back.');
    assert.deepEqual(refunds, ['A-17']);
    model.assertComplete();
    await detent.close();
  });

  it('tells the model why a person said no', async () => {
    const { detent, refunds, model } = agent([callRefund, { text: 'I am sorry.' }]);
    const run = detent.run('Please pay back order A-17.');
    await run.result;
    await run.confirm('c2', { verdict: 'reject', reason: 'the order is a year old' });
    await run.result;
    assert.deepEqual(refunds, []);
    const heard = model.requests[1]?.messages.at(-1);
    assert.equal(heard?.role, 'tool');
    assert.match(heard?.text ?? '', /the order is a year old/);
    await detent.close();
  });

  it('continues without the refund when no person decides within a week', async () => {
    const { detent, clock, refunds } = agent([callRefund, { text: 'Nobody could approve it.' }]);
    const run = detent.run('Please pay back order A-17.');
    await run.result;
    await clock.advance(7 * dayMs);
    const { status, text, steps } = await run.result;
    assert.equal(status, 'done');
    assert.equal(text, 'Nobody could approve it.');
    assert.equal(steps[0]?.toolCalls[0]?.decision, 'expired');
    assert.deepEqual(refunds, []);
    await detent.close();
  });
});

const callRefund: ScriptLine = { toolCalls: [{ name: 'refund', arguments: { order: 'A-17' } }] };

/** The agent under test, with a scripted model and a stopped clock. */
function agent(script: readonly ScriptLine[]) {
  const refunds: string[] = [];
  const model = scriptedModel(script);
  const clock = fakeClock();
  const refund = defineTool<{ order: string }>({
    name: 'refund',
    description: 'Pays an order back.',
    jsonSchema: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
    sideEffect: 'unsafe',
    run: ({ order }) => {
      refunds.push(order);
      return 'paid back';
    },
  });
  const detent = createDetent({
    store: 'in-process',
    clock,
    model: 'test/script',
    models: { test: model },
    tools: { define: [refund] },
  });
  return { detent, model, clock, refunds };
}
