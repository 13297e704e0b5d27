import { describe, expect, it } from 'vitest';
import { scripted, tool } from '../support/detent.ts';

describe('a run after another one', () => {
  it('goes on in its session while that is the newest run there', async () => {
    const { detent, model } = await scripted([{ text: 'one' }, { text: 'two' }]);
    const first = await detent.run('I am Anna.').result;
    const second = await detent.run('Who am I?', { after: first.runId }).result;
    expect(second).toMatchObject({ sessionId: first.sessionId, after: first.runId });
    expect(model.requests[1]?.messages.slice(1).map(({ text }) => text)).toEqual([
      'I am Anna.',
      'one',
      'Who am I?',
    ]);
  });

  it('hears nothing of what others said after that run, however many follow it at once', async () => {
    const { detent, model } = await scripted(Array.from({ length: 9 }, () => ({ text: 'yes' })));
    const first = await detent.run('I am Anna.').result;
    const questions = Array.from({ length: 8 }, (_, i) => `Question ${i}?`);
    const runs = await Promise.all(
      questions.map((question) => detent.run(question, { after: first.runId }).result),
    );
    expect(new Set(runs.map(({ sessionId }) => sessionId)).size).toBe(8);
    expect(runs.filter(({ sessionId }) => sessionId === first.sessionId)).toHaveLength(1);
    const heard = model.requests.slice(1).map(({ messages }) => messages.slice(1).map(({ text }) => text));
    expect(heard.map((texts) => texts.slice(0, -1))).toEqual(questions.map(() => ['I am Anna.', 'yes']));
    expect(heard.map((texts) => texts.at(-1)).sort()).toEqual(questions);
  });

  it('is the same run for a repeated request, in a branch too', async () => {
    const { detent } = await scripted([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    const first = await detent.run('Hello.').result;
    await detent.run('Left?', { after: first.runId }).result;
    const right = () => detent.run('Right?', { after: first.runId, idempotencyKey: 'r' }).result;
    const { runId, sessionId } = await right();
    expect(sessionId).not.toBe(first.sessionId);
    expect(await right()).toMatchObject({ runId, sessionId });
    expect(await detent.sessions.list()).toHaveLength(2);
  });

  it('waits behind it while it is under way, and is refused when another one waits already', async () => {
    const { detent } = await scripted(
      [{ toolCalls: [{ name: 'pay' }] }, { text: 'paid' }, { text: 'next' }],
      {
        tools: { define: [tool('pay', { sideEffect: 'unsafe' })] },
      },
    );
    const first = await detent.run('Pay.').result;
    const second = detent.run('And now?', { after: first.runId });
    await second.started;
    await expect(detent.run('Or now?', { after: first.runId }).started).rejects.toMatchObject({
      code: 'SESSION_BUSY',
    });
    await detent.runs.confirm(first.runId, first.pending[0]?.callId ?? '', { verdict: 'approve' });
    expect((await second.result).text).toBe('next');
  });

  it.each([
    ['a run that is not there', { after: 'run_none' }, 'NOT_FOUND'],
    ['a session besides', { after: 'run_1', sessionId: 's' }, 'INVALID_REQUEST'],
    ['another mode than queue', { after: 'run_1', mode: 'steer' as const }, 'INVALID_REQUEST'],
  ])('refuses %s', async (_case, request, code) => {
    const { detent } = await scripted([]);
    await expect(detent.run('x', request).started).rejects.toMatchObject({ code });
  });

  it('does not follow the run of another user', async () => {
    const { detent } = await scripted([{ text: 'one' }]);
    const first = await detent.run('Hello.', { principal: { userId: 'anna' } }).result;
    const next = detent.run('Hello.', { after: first.runId, principal: { userId: 'eve' } });
    await expect(next.started).rejects.toMatchObject({ code: 'SESSION_OF_ANOTHER_USER' });
  });
});

describe('the metadata of a run', () => {
  it('are kept with it, without the secrets in them', async () => {
    const { detent } = await scripted([{ text: 'one' }], {
      env: { SHOP_API_KEY: 'sk-very-secret-key-1234' },
    });
    const metadata = { order: '7', note: 'key sk-very-secret-key-1234' };
    const { runId } = await detent.run('Hello.', { metadata }).result;
    const shown = (await detent.runs.show(runId)).metadata;
    expect(shown?.order).toBe('7');
    expect(shown?.note).not.toContain('very-secret');
  });

  it.each([
    ['too many', Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v']))],
    ['too long a name', { ['k'.repeat(65)]: 'v' }],
    ['too long a value', { k: 'v'.repeat(513) }],
    ['a number', { k: 1 }],
  ])('are refused with %s', async (_case, metadata) => {
    const { detent } = await scripted([]);
    const run = detent.run('x', { metadata: metadata as Record<string, string> });
    await expect(run.started).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});
