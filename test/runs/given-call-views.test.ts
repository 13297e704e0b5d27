import { describe, expect, it } from 'vitest';
import type { Detent } from '../../src/index.ts';
import { tool } from '../support/detent.ts';
import { givenCalls } from '../support/given-call.ts';

const pay = tool('pay', { sideEffect: 'unsafe', run: () => 'paid' });
const session = 'calls 1';

/** A run that waits for a person. */
async function waiting() {
  const given = await givenCalls([pay]);
  const { runId } = await given.call('pay', { amount: 5 });
  return { ...given, runId };
}

/** A run that a person approved. */
async function paid() {
  const given = await waiting();
  await given.confirm(given.runId, { verdict: 'approve' });
  return given;
}

function linesOf(detent: Detent): Promise<string[]> {
  return Array.fromAsync(detent.sessions.export(session));
}

describe('a run that makes one given call, as people see it', () => {
  it('is in the list with the tool as its model', async () => {
    const { detent, runId } = await waiting();
    expect(await detent.runs.list()).toMatchObject([
      { runId, status: 'waiting', model: 'workflow/pay', asks: ['pay'], prompt: '', costUsd: 0 },
    ]);
  });

  it('takes decisions, and no message', async () => {
    const { detent, runId } = await waiting();
    const types = (await detent.runs.allowed(runId)).map(({ type }) => type);
    expect(new Set(types)).toEqual(new Set(['run.cancel', 'confirm.decide']));
  });

  it('explains what came of the call, and asks for nothing more', async () => {
    const { detent, runId } = await paid();
    expect(await detent.runs.why(runId)).toMatchObject({
      cause: 'completed',
      summary: 'the run made the one call that it was given, of pay, which succeeded: "paid"',
      next: [],
    });
  });

  it('explains a rejected call', async () => {
    const { detent, confirm, runId } = await waiting();
    expect((await detent.runs.why(runId)).summary).toContain('a person must decide on');
    await confirm(runId, { verdict: 'reject', reason: 'too much' });
    const { summary, details } = await detent.runs.why(runId);
    expect(summary).toContain('did not succeed (REJECTED_BY_USER)');
    expect(details.join()).toContain('too much');
  });

  it('explains that a person was asked', async () => {
    const { detent, call, confirm } = await givenCalls([]);
    const { runId } = await call('ask', {}, { ask: { approval: { text: 'Refund?' } } });
    const [first] = (await detent.runs.why(runId)).next;
    expect(first).toMatchObject({
      text: 'decide on c1',
      otherFlags: '--reject',
      step: { does: 'decide', runId },
    });
    await confirm(runId, { verdict: 'reject', reason: 'too late' });
    expect((await detent.runs.why(runId)).summary).toBe(
      'the run asked a person the question of its workflow: "The user rejected this call: too late"',
    );
  });

  it('tells its events like any run: the call, the question and the result, and no usage', async () => {
    const { detent, runId } = await paid();
    const names = (await detent.runs.timeline(runId)).map(({ event }) => event);
    expect(names).toEqual(expect.arrayContaining(['tool.call', 'tool.confirm_request', 'tool.result']));
    expect(names).not.toContain('usage');
    const answer = (await detent.runs.timeline(runId)).find(({ event }) => event === 'assistant.message');
    expect(answer?.payload).toMatchObject({ model: 'pay', content: '' });
  });

  it('is forked before the decision into a run that asks again, under a key of its own', async () => {
    const { core, detent, confirm, settled, start } = await givenCalls([pay]);
    const given = { name: 'pay', arguments: '{}', idempotencyKey: 'flow:3' };
    const runId = await start({ call: given });
    const { pk } = await core.runs.row(1, (await settled(runId)).runId);
    const events = await core.store.query('listEvents', { run: pk, after: 0, limit: 99 });
    await confirm(runId, { verdict: 'approve' });
    const at = events.at(-1)?.seq ?? 0;
    expect(await detent.runs.forkPreview(runId, { at })).toMatchObject({ pending: [{ name: 'pay' }] });
    const fork = await detent.runs.fork(runId, { at });
    expect(JSON.parse((await core.runs.row(1, fork.runId)).options).call).toEqual({
      name: 'pay',
      arguments: '{}',
      again: true,
    });
    await confirm(fork.runId, { verdict: 'approve' });
    await core.runs.resume(1, { runId: fork.runId });
    expect((await settled(fork.runId)).status).toBe('done');
  });

  it('is forked from its beginning', async () => {
    const { core, detent, runId, settled } = await paid();
    const fork = await detent.runs.fork(runId, { at: 1 });
    await core.runs.resume(1, { runId: fork.runId });
    expect(await settled(fork.runId)).toMatchObject({ status: 'waiting', pending: [{ name: 'pay' }] });
    await expect(detent.runs.fork(runId, { at: 1, editMessage: 'other' })).rejects.toMatchObject({
      code: 'NO_MESSAGE',
    });
  });

  it('is exported and imported with its call and the result', async () => {
    const { detent } = await paid();
    const imported = await detent.sessions.import((await linesOf(detent)).join('\n'), { sessionId: 'copy' });
    expect(imported.notes).toEqual([]);
    const view = await detent.runs.show(imported.runId);
    expect(view.steps).toMatchObject([{ model: 'pay', toolCalls: [{ name: 'pay', result: 'paid' }] }]);
  });

  it('is a conversation that a prompt goes on with: by a model of its own, which sees the call', async () => {
    const { detent, script } = await paid();
    const seen: unknown[] = [];
    script.push(({ messages }) => {
      seen.push(...messages.map(({ role }) => role));
      return { text: 'It was paid.' };
    });
    const request = await detent.sessions.continuing(session);
    const view = await detent.run('Was it paid?', request).result;
    expect(view).toMatchObject({ status: 'done', text: 'It was paid.' });
    expect(seen.slice(-3)).toEqual(['assistant', 'tool', 'user']);
    expect((await detent.sessions.compact(session)).status).toBe('done');
  });
});
