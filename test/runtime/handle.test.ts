import { describe, expect, it } from 'vitest';
import type { RunSignal } from '../../src/index.ts';
import { gate, scripted, tool } from '../support/detent.ts';

const paths = (signals: readonly RunSignal[]) =>
  signals.filter(({ type }) => type === 'transition').map(({ path }) => path);

describe('a run’s handle', () => {
  it('knows its id at once, and resolves `started` when nothing can lose it any more', async () => {
    const { detent } = await scripted([{ text: 'hi' }]);
    const run = detent.run('hello');
    expect(run.runId).toMatch(/^run_[0-9a-z]{16}$/);
    const started = await run.started;
    expect(started).toBe(run.runId);
    expect((await detent.runs.list()).map(({ runId }) => runId)).toEqual([started]);
  });

  it('gives the whole view as its result', async () => {
    const { detent, model } = await scripted(
      [
        { toolCalls: [{ name: 'look', arguments: { n: 1 } }], usage: { inputTokens: 20, outputTokens: 7 } },
        { text: 'seen', reasoning: 'well', usage: { cachedInputTokens: 3 } },
      ],
      { tools: { define: [tool('look')], allowed: ['look'] } },
    );
    const run = detent.run('look', { sessionId: 'mine' });
    expect(await run.result).toEqual({
      runId: run.runId,
      sessionId: 'mine',
      createdAt: expect.any(Number),
      endedAt: expect.any(Number),
      status: 'done',
      outcome: 'completed',
      text: 'seen',
      usage: { inputTokens: 30, outputTokens: 12, cachedInputTokens: 3, reasoningTokens: 0, costUsd: null },
      states: [
        'idle',
        'active.working.thinking.requesting',
        'active.working.tooling.executing',
        'active.working.thinking.requesting',
        'done',
      ],
      steps: [
        expect.objectContaining({
          text: '',
          finishReason: 'tool_calls',
          toolCalls: [
            {
              id: 'call_0',
              callId: 'c2',
              name: 'look',
              argumentsRaw: '{"n":1}',
              arguments: { n: 1 },
              status: 'done',
              decision: null,
              result: 'ok',
              isError: false,
              code: null,
              why: 'tool default: look does not ask',
              reason: { code: 'tool_does_not_ask', params: { tool: 'look' } },
            },
          ],
        }),
        expect.objectContaining({
          model: 'script',
          text: 'seen',
          reasoning: 'well',
          finishReason: 'stop',
          error: null,
          toolCalls: [],
        }),
      ],
      pending: [],
      error: null,
    });
    model.assertComplete();
  });

  it('streams everything that happens, and ends with the run', async () => {
    const look = tool('look', {
      run: (_, { progress, log }) => {
        progress('half way');
        log('looked', { at: 'it' });
        return 'ok';
      },
    });
    const { detent } = await scripted([{ toolCalls: [{ name: 'look' }] }, { text: 'seen' }], {
      tools: { define: [look] },
    });
    const signals = await Array.fromAsync(detent.run('look').events);
    expect(signals.map(({ type }) => type)).toEqual([
      'transition',
      'transition',
      'progress',
      'log',
      'transition',
      'delta',
      'transition',
    ]);
    expect(signals.filter(({ seq }) => seq !== undefined).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(signals.find(({ type }) => type === 'progress')).toMatchObject({
      message: 'half way',
      effectId: 2,
      attempt: 1,
    });
    expect(signals.find(({ type }) => type === 'log')).toMatchObject({
      message: 'looked',
      details: { at: 'it' },
    });
    expect(signals.find(({ type }) => type === 'delta')).toMatchObject({
      delta: { type: 'text', text: 'seen' },
      offset: 0,
    });
    expect(signals.at(-1)).toMatchObject({ path: 'done', ended: true });
  });

  it('replays what it is asked for late, to any number of readers', async () => {
    const { detent } = await scripted([{ text: 'hi' }]);
    const run = detent.run('hello');
    await run.result;
    const expected = ['active.working.thinking.requesting', 'done'];
    expect(paths(await Array.fromAsync(run.events))).toEqual(expected);
    expect(paths(await Array.fromAsync(run.events))).toEqual(expected);
    expect(paths(await Array.fromAsync(detent.runs.attach(run.runId).events))).toEqual(expected);
  });

  it('lets a reader leave early, while the run goes on', async () => {
    const { detent } = await scripted([{ text: 'hi' }]);
    const run = detent.run('hello');
    for await (const signal of run.events) if (signal.type === 'transition') break;
    expect((await run.result).status).toBe('done');
  });

  it('resolves its result when only a person can move the run, and again after each decision', async () => {
    const write = tool('write', { sideEffect: 'unsafe' });
    const { detent } = await scripted(
      [{ toolCalls: [{ name: 'write' }] }, { toolCalls: [{ name: 'write' }] }, { text: 'twice' }],
      { tools: { define: [write] } },
    );
    const run = detent.run('write');
    for (const call of ['c2', 'c4']) {
      const view = await run.result;
      expect([view.status, view.outcome, view.pending.map(({ callId }) => callId)]).toEqual([
        'waiting',
        null,
        [call],
      ]);
      expect(view.pending[0]).toMatchObject({
        kind: 'confirm',
        name: 'write',
        arguments: {},
        why: 'tool default: write asks',
      });
      await run.confirm(call, { verdict: 'approve' });
    }
    expect(await run.result).toMatchObject({ status: 'done', text: 'twice' });
  });

  it('cancels, once', async () => {
    const { pass, reached } = gate();
    const { detent } = await scripted([(_, { signal }) => pass(signal).then(() => ({ text: 'late' }))]);
    const run = detent.run('hello');
    await reached;
    expect(await run.cancel('enough')).toBe(true);
    expect(await run.cancel()).toBe(false);
    expect(await run.result).toMatchObject({ status: 'cancelled', outcome: 'cancelled', error: null });
  });

  it.each([
    ['an empty prompt', ' \n', {}, 'EMPTY_PROMPT'],
    ['a prompt that is too large', 'x'.repeat(101), { limits: { maxPromptBytes: 100 } }, 'PROMPT_TOO_LARGE'],
    [
      'a prompt that is too large in bytes',
      '漢'.repeat(40),
      { limits: { maxPromptBytes: 100 } },
      'PROMPT_TOO_LARGE',
    ],
    ['an unknown provider', 'hi', { model: 'nobody/x' }, 'UNKNOWN_MODEL'],
    ['a missing key', 'hi', { model: 'openai/gpt-5-mini' }, 'MISSING_KEY'],
    ['a bad session key', 'hi', { sessionId: 'a\nb' }, 'INVALID_SESSION'],
    ['a bad limit', 'hi', { limits: { maxSteps: 0 } }, 'INVALID_CONFIG'],
  ] as const)('rejects for %s, and makes no run', async (_, prompt, request, code) => {
    const { detent } = await scripted([]);
    const run = detent.run(prompt, request);
    await expect(run.started).rejects.toMatchObject({ code });
    await expect(run.result).rejects.toMatchObject({ code });
    await expect(Array.fromAsync(run.events)).rejects.toMatchObject({ code });
    await expect(run.cancel()).rejects.toMatchObject({ code });
    expect(await detent.runs.list()).toEqual([]);
  });

  it('that fails to start without a listener does not crash the process', async () => {
    const { detent } = await scripted([]);
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    void detent.run('');
    void detent.run('').events;
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

describe('a listener', () => {
  it('hears a run from its beginning, until it leaves', async () => {
    const { detent } = await scripted([{ text: 'hi' }]);
    const heard: RunSignal[] = [];
    const run = detent.run('hello');
    const leave = detent.on(run.runId, (signal) => heard.push(signal));
    await run.result;
    expect(heard.map(({ type }) => type)).toEqual(['transition', 'delta', 'transition']);
    leave();
  });

  it('that throws is its owner’s trouble, and stops no run and no lane', async () => {
    const errors: unknown[] = [];
    const { detent } = await scripted([{ text: 'one' }, { text: 'two' }], {
      onError: (error) => errors.push(error),
    });
    const first = detent.run('hello', { sessionId: 's' });
    const second = detent.run('again', { sessionId: 's' });
    for (const { runId } of [first, second])
      detent.on(runId, () => {
        throw new Error('mine');
      });
    expect([(await first.result).text, (await second.result).text]).toEqual(['one', 'two']);
    expect(errors.length).toBeGreaterThan(3);
  });
});

describe('the commands that a run takes now', () => {
  it('are those that a client may offer as buttons', async () => {
    const { detent } = await scripted([{ toolCalls: [{ name: 'write' }] }, { text: 'ok' }], {
      tools: { define: [tool('write', { sideEffect: 'unsafe' })] },
    });
    const run = detent.run('write');
    await run.result;
    expect(await detent.runs.allowed(run.runId)).toEqual([
      { type: 'run.message' },
      { type: 'run.cancel' },
      { type: 'confirm.decide', callId: 'c2', verdict: 'approve' },
      { type: 'confirm.decide', callId: 'c2', verdict: 'reject' },
      { type: 'confirm.decide', callId: 'c2', verdict: 'modify' },
    ]);
    await run.confirm('c2', { verdict: 'approve' });
    await run.result;
    expect(await detent.runs.allowed(run.runId)).toEqual([]);
  });
});
