import { describe, expect, it } from 'vitest';
import { tool } from '../../support/detent.ts';
import { served } from '../support.ts';

const clientTools = [{ name: 'weather' }];
const script = [
  {
    toolCalls: [{ name: 'weather' }, { name: 'pay' }, { name: 'ask_user', arguments: { question: 'Why?' } }],
  },
  { text: 'Paid.' },
];

/** A run that waits for its client (c2), for an approval (c3) and for an answer (c4). */
async function waiting(scopes: ('read' | 'write' | 'approve')[] = ['read', 'write']) {
  const gateway = await served(script, { tools: { define: [tool('pay', { sideEffect: 'unsafe' })] } });
  const client = await gateway.connect(await gateway.token({ scopes }));
  const { runId } = await client.ask<{ runId: string }>('agent.run', { prompt: 'go', clientTools });
  await client.saw(({ event }) => event === 'question.asked');
  return { ...gateway, client, runId };
}

describe('the result of a call that a client performs', () => {
  it('is given with the scope write, over frames and HTTP, and counts once', async () => {
    const { client, runId, http } = await waiting();
    const { pending, allowed, clientTools } = await client.ask<Record<string, object[]>>('run.get', {
      runId,
    });
    expect(clientTools).toEqual(['weather']);
    expect(pending).toMatchObject([{ kind: 'client' }, { kind: 'confirm' }, { kind: 'question' }]);
    expect(allowed).toContainEqual({ type: 'confirm.decide', callId: 'c2', verdict: 'result' });
    const given = await client.ask('client.result', { runId, callId: 'c2', result: '' });
    expect(given).toEqual({ applied: true, verdict: 'result', stands: true });
    const again = await http(`/api/v1/runs/${runId}/results/c2`, {
      method: 'POST',
      body: { result: 'rain' },
    });
    expect(again).toMatchObject({ status: 200, body: { applied: false, stands: false } });
    expect(await client.saw(({ event }) => event === 'tool.client_resolved')).toMatchObject({
      payload: { callId: 'c2', verdict: 'result' },
    });
  });

  it('may be none, with a reason, and may be an error', async () => {
    const { client, runId, detent } = await waiting();
    const closed = await client.ask('client.result', { runId, callId: 'c2', reason: 'the page is gone' });
    expect(closed).toEqual({ applied: true, verdict: 'reject', stands: true });
    const [call] = (await detent.runs.show(runId)).steps[0]?.toolCalls ?? [];
    expect(call).toMatchObject({ status: 'rejected', result: expect.stringContaining('the page is gone') });
    const other = await waiting();
    await other.client.ask('client.result', {
      runId: other.runId,
      callId: 'c2',
      result: 'no',
      isError: true,
    });
    await other.detent.runs.confirm(other.runId, 'c3', { verdict: 'reject' });
    await other.detent.runs.confirm(other.runId, 'c4', { verdict: 'reject' });
    const { steps } = await other.detent.runs.attach(other.runId).result;
    expect(steps[0]?.toolCalls[0]).toMatchObject({ status: 'failed', isError: true, result: 'no' });
  });

  it('is no way to decide on other calls, and theirs are no way to it', async () => {
    const { client, runId } = await waiting(['read', 'write', 'approve']);
    const wrong: [string, object][] = [
      ['client.result', { callId: 'c3', result: 'paid' }],
      ['client.result', { callId: 'c3' }],
      ['client.result', { callId: 'c4', result: 'because' }],
      ['question.answer', { callId: 'c2', answer: 'rain' }],
      ['question.answer', { callId: 'c2' }],
      ['tool.confirm', { callId: 'c2', verdict: 'approve' }],
      ['tool.confirm', { callId: 'c2', verdict: 'modify', arguments: {} }],
    ];
    for (const [name, input] of wrong)
      expect(await client.refused(name, { runId, ...input }), name).toMatchObject({ code: 'WRONG_VERDICT' });
    for (const input of [{ isError: true }, { result: 'x', reason: 'y' }, { result: 7 }, { result: null }])
      expect(await client.refused('client.result', { runId, callId: 'c2', ...input })).toMatchObject({
        code: 'INVALID_REQUEST',
      });
    const { pending } = await client.ask<{ pending: object[] }>('run.get', { runId });
    expect(pending).toHaveLength(3);
    // A person who may approve may also close it.
    const rejected = { runId, callId: 'c2', verdict: 'reject' };
    expect(await client.ask('tool.confirm', rejected)).toMatchObject({ applied: true });
  });

  it('needs the scope write', async () => {
    const { runId, connect, token } = await waiting();
    const reader = await connect(await token({ scopes: ['read', 'approve'] }));
    const refused = await reader.refused('client.result', { runId, callId: 'c2', result: '' });
    expect(refused).toMatchObject({ code: 'FORBIDDEN' });
  });
});
