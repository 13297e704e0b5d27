import { describe, expect, it } from 'vitest';
import type { DetentOptions, RunRequest } from '../../src/index.ts';
import { scripted, temporaryWorkspace, withModel } from '../support/detent.ts';

const colours = { question: 'Which colour?', options: ['red', 'blue', 'green'] };

/** A run that has asked, and waits. */
async function asked(args: unknown, options: DetentOptions = {}, request: RunRequest = {}) {
  const script = [
    { toolCalls: [{ name: 'ask_user', arguments: args }] },
    { text: 'thanks' },
    { text: 'again' },
  ];
  const { detent, model, workspace } = await scripted(script, options);
  const run = detent.run('paint', request);
  const view = await run.result;
  const told = () => model.requests[1]?.messages.at(-1);
  return { detent, model, workspace, run, view, told, call: view.pending[0]?.callId ?? '' };
}

describe('a question of an agent', () => {
  it('parks the run until a person answers, and the tool returns the answer', async () => {
    const { detent, run, view, told, call } = await asked(colours);
    expect([view.status, view.pending]).toMatchObject([
      'waiting',
      [{ kind: 'question', name: 'ask_user', question: { text: 'Which colour?', options: colours.options } }],
    ]);
    const hash = view.pending[0]?.argumentsHash ?? '';
    const answer = { verdict: 'answer', answer: 'blue', hash } as const;
    expect(await detent.runs.confirm(run.runId, call, answer)).toEqual({
      applied: true,
      verdict: 'answer',
      stands: true,
    });
    const after = await run.result;
    expect([after.status, told(), after.steps[0]?.toolCalls[0]]).toMatchObject([
      'done',
      { role: 'tool', text: 'blue', isError: false },
      { decision: 'answer', answer: 'blue', arguments: colours, result: 'blue', status: 'done' },
    ]);
  });

  it('without options takes any words, and no empty ones', async () => {
    const { run, call, told } = await asked({ question: 'Why?' });
    await expect(run.confirm(call, { verdict: 'answer', answer: '  ' })).rejects.toMatchObject({
      code: 'INVALID_ANSWER',
    });
    await run.confirm(call, { verdict: 'answer', answer: ' because ' });
    await run.result;
    expect(told()).toMatchObject({ text: 'because' });
  });

  it.each([
    [colours, 'purple'],
    [colours, ['red', 'blue']],
    [{ ...colours, multiple: true }, ['red', 'purple']],
    [{ ...colours, multiple: true }, []],
    [{ question: 'Why?' }, 'x'.repeat(20_001)],
    [{ question: 'Why?' }, { text: 'red' } as never],
  ])('%j does not take %.40j, and stays open', async (args, answer) => {
    const { run, call } = await asked(args);
    await expect(run.confirm(call, { verdict: 'answer', answer })).rejects.toMatchObject({
      code: 'INVALID_ANSWER',
    });
    expect((await run.result).pending).toHaveLength(1);
  });

  it('of several options takes several', async () => {
    const { run, call, told } = await asked({ ...colours, multiple: true });
    await run.confirm(call, { verdict: 'answer', answer: ['red', 'green', 'red'] });
    const view = await run.result;
    expect([told(), view.steps[0]?.toolCalls[0]?.answer]).toMatchObject([
      { text: '["red","green"]' },
      ['red', 'green'],
    ]);
  });

  it('is asked however much is approved beforehand', async () => {
    const { view } = await asked(colours, { policy: { confirm: { ask_user: false } } }, { approve: 'all' });
    expect(view.pending).toMatchObject([{ kind: 'question' }]);
  });

  it('is refused at once where no person can answer, and the run goes on and ends well', async () => {
    const { view, told } = await asked(colours, {}, { approve: 'none' });
    expect([view.outcome, told(), view.steps[0]?.toolCalls[0]]).toMatchObject([
      'completed',
      { isError: true, text: expect.stringContaining('Nobody can answer') },
      { code: 'NOBODY_TO_ASK' },
    ]);
  });

  it('that brings its own answer is refused', async () => {
    const { view, told } = await asked({ ...colours, answer: 'red' });
    expect([view.status, view.pending]).toEqual(['done', []]);
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({ code: 'INVALID_ARGUMENTS' });
    expect(told()).toMatchObject({ isError: true, text: expect.stringContaining('answer') });
  });

  it('that is rejected says so, with the reason', async () => {
    const { run, call, told } = await asked(colours);
    await run.confirm(call, { verdict: 'reject', reason: 'no idea' });
    expect((await run.result).steps[0]?.toolCalls[0]).toMatchObject({
      status: 'rejected',
      decision: 'reject',
    });
    expect(told()).toMatchObject({ isError: true, text: 'The user chose not to answer: no idea' });
  });

  it('can be neither approved nor changed, and no other call can be answered', async () => {
    const { detent, run, call } = await asked(colours);
    for (const decision of [{ verdict: 'approve' }, { verdict: 'modify', arguments: colours }] as const)
      await expect(run.confirm(call, decision)).rejects.toMatchObject({ code: 'WRONG_VERDICT' });
    const verdicts = (await detent.runs.allowed(run.runId)).flatMap(({ verdict }) => verdict ?? []);
    expect(verdicts).toEqual(['reject', 'answer']);
    const write = { name: 'write_file', arguments: { path: 'a', content: 'b' } };
    const other = await scripted([{ toolCalls: [write] }]);
    const writing = other.detent.run('write');
    const callId = (await writing.result).pending[0]?.callId ?? '';
    await expect(writing.confirm(callId, { verdict: 'answer', answer: 'yes' })).rejects.toMatchObject({
      code: 'WRONG_VERDICT',
    });
  });

  it('stands with its answer in the export and in a fork; a fork from before the answer asks again', async () => {
    const { detent, model, run, call } = await asked(colours, {});
    const seqAsked = (await detent.runs.events(run.runId)).at(-1)?.seq ?? 0;
    await run.confirm(call, { verdict: 'answer', answer: 'green' });
    const { sessionId } = await run.result;
    const lines = await Array.fromAsync(detent.sessions.export(sessionId));
    const exported = lines.map((line) => JSON.parse(line));
    expect(exported.find(({ type }) => type === 'user.question')).toMatchObject({
      prompt: 'Which colour?',
      choices: colours.options,
    });
    const copy = await detent.runs.fork(run.runId, {
      at: (await detent.runs.events(run.runId)).at(-1)?.seq ?? 0,
    });
    expect((await detent.runs.show(copy.runId)).steps[0]?.toolCalls[0]).toMatchObject({
      decision: 'answer',
      answer: 'green',
    });
    const earlier = await detent.runs.fork(run.runId, { at: seqAsked });
    const pending = (await detent.runs.show(earlier.runId)).pending;
    expect(pending).toMatchObject([{ kind: 'question', question: { text: 'Which colour?' } }]);
    await detent.runs.confirm(earlier.runId, pending[0]?.callId ?? '', { verdict: 'answer', answer: 'red' });
    await detent.runs.resume({ runId: earlier.runId });
    await detent.runs.attach(earlier.runId).result;
    expect(model.requests[2]?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'red' });
  });

  it('hides known secrets of the answer in all that is stored but the bytes for the tool', async () => {
    const secret = 'super-secret-value';
    const { detent, run, call } = await asked({ question: 'Key?' }, { env: { X_TOKEN: secret } });
    await run.confirm(call, { verdict: 'answer', answer: secret });
    const view = await run.result;
    const events = await detent.runs.events(run.runId);
    expect(JSON.stringify([view, events])).not.toContain(secret);
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({ answer: '[redacted:X_TOKEN]' });
  });

  it('survives its process: another one answers, a third carries on', async () => {
    const workspace = await temporaryWorkspace();
    const options = { workspace, store: undefined } as unknown as DetentOptions;
    const { detent, run, call } = await asked(colours, options);
    await detent.close();
    const second = withModel((await scripted([])).model, { ...options });
    await second.runs.confirm(run.runId, call, { verdict: 'answer', answer: 'red' });
    await second.close();
    const { model } = await scripted([{ text: 'thanks' }]);
    const third = withModel(model, { ...options });
    await third.runs.resume({ runId: run.runId });
    expect(await third.runs.attach(run.runId).result).toMatchObject({ status: 'done', text: 'thanks' });
    expect(model.requests[0]?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'red' });
  });
});
