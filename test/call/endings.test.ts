import { describe, expect, it } from 'vitest';
import { fakeClock, type ScriptLine } from '../../src/testing/index.ts';
import { gate, scripted, tool } from '../support/detent.ts';
import { chatRuleViolations } from '../support/openai-rules.ts';

const day = 86_400_000;

/** An answer that is still being made when something ends its run: half its words have been heard. */
function halfSaid(): { line: ScriptLine; reached: Promise<void> } {
  const { pass, reached } = gate();
  return {
    reached,
    line: async (_, { signal, onDelta }) => {
      onDelta({ type: 'reasoning', text: 'hm ' });
      onDelta({ type: 'text', text: 'half a ' });
      onDelta({ type: 'text', text: 'sentence' });
      await pass(signal);
      return { text: 'half a sentence that went on' };
    },
  };
}

describe('an answer that its run’s end cuts short', () => {
  it('keeps the words that were heard, on cancel', async () => {
    const { line, reached } = halfSaid();
    const { detent } = await scripted([line]);
    const run = detent.run('talk');
    await reached;
    await run.cancel('enough');
    const view = await run.result;
    expect(view).toMatchObject({ status: 'cancelled', text: 'half a sentence' });
    expect(view.steps).toMatchObject([
      { text: 'half a sentence', reasoning: 'hm ', error: { code: 'MODEL_ABORTED' } },
    ]);
  });

  it('keeps the words that were heard, on the deadline', async () => {
    const clock = fakeClock();
    const { line, reached } = halfSaid();
    const { detent } = await scripted([line], { clock });
    const run = detent.run('talk', { limits: { timeoutMs: 5_000 } });
    await reached;
    await clock.advance(5_000);
    expect(await run.result).toMatchObject({ outcome: 'deadline', text: 'half a sentence' });
  });

  it('is part of what the session’s next run sees', async () => {
    const { line, reached } = halfSaid();
    const { detent, model } = await scripted([line, { text: 'I said half a sentence' }]);
    const run = detent.run('talk', { sessionId: 's' });
    await reached;
    await run.cancel();
    await detent.run('what did you say?', { sessionId: 's' }).result;
    expect(model.requests[1]?.messages.map(({ role, text }) => [role, text]).slice(1)).toEqual([
      ['user', 'talk'],
      ['assistant', 'half a sentence'],
      ['user', 'what did you say?'],
    ]);
  });

  it('keeps the words of the last attempt when every one breaks off', async () => {
    const error = { kind: 'network', code: 'MODEL_NETWORK', message: 'cut off', retryable: true } as const;
    const toolCalls = [{ name: 'datetime' }];
    const { detent, model } = await scripted([
      { text: 'half a', toolCalls, error },
      { text: 'two thirds', toolCalls, error },
    ]);
    const view = await detent.run('talk', { limits: { maxRetries: 1 } }).result;
    expect(view).toMatchObject({
      outcome: 'provider_error',
      text: 'two thirds',
      error: { code: 'MODEL_NETWORK' },
      withdrawn: [{ text: 'half a' }],
    });
    model.assertComplete();
  });

  it('leaves nothing when nothing was heard', async () => {
    const { pass, reached } = gate();
    const { detent } = await scripted([(_, { signal }) => pass(signal).then(() => ({ text: 'late' }))]);
    const run = detent.run('talk');
    await reached;
    await run.cancel();
    expect(await run.result).toMatchObject({ steps: [], text: '' });
  });
});

describe('what the model is told of calls that did not run', () => {
  const ask = (name = 'write', n = 1) => ({
    toolCalls: Array.from({ length: n }, (_, i) => ({ name, arguments: { i } })),
  });
  const write = () => tool('write', { sideEffect: 'unsafe' });

  const toldAfter = async (
    second: ScriptLine,
    between: (run: Awaited<ReturnType<typeof start>>) => Promise<unknown>,
  ) => {
    const started = await start(second);
    await between(started);
    await started.run.result;
    return started.model.requests[1]?.messages.filter(({ role }) => role === 'tool').map(({ text }) => text);
  };
  const start = async (second: ScriptLine) => {
    const clock = fakeClock();
    const made = await scripted([ask('write', 2), second], { clock, tools: { define: [write()] } });
    const run = made.detent.run('write');
    await run.result;
    return { ...made, run, clock };
  };

  it('says that there was no decision in time', async () => {
    expect(await toldAfter({ text: 'ok' }, ({ clock }) => clock.advance(7 * day))).toEqual([
      'Not run: nobody decided on this call in time, so it counts as rejected.',
      'Not run: nobody decided on this call in time, so it counts as rejected.',
    ]);
  });

  it('says that the user spoke first, and then what', async () => {
    const { run, model } = await start({ text: 'ok' });
    await run.steer('stop that');
    await run.result;
    const { messages = [] } = model.requests[1] ?? {};
    expect(messages.slice(-3).map(({ role, text }) => [role, text])).toEqual([
      ['tool', 'Not run: the user sent a new message first.'],
      ['tool', 'Not run: the user sent a new message first.'],
      ['user', 'stop that'],
    ]);
    expect(chatRuleViolations(messages)).toEqual([]);
  });

  it('says in the next run what the cancel of this one left undone', async () => {
    const { pass, reached } = gate();
    const slow = tool('slow', { run: (_, { signal }) => pass(signal) });
    const script = [{ toolCalls: [{ name: 'slow' }, { name: 'write' }] }, { text: 'ok' }];
    const { detent, model } = await scripted(script, {
      tools: { define: [slow, tool('write', { sideEffect: 'idempotent' })] },
    });
    const run = detent.run('go', { sessionId: 's' });
    await reached;
    await run.cancel();
    expect((await run.result).steps[0]?.toolCalls.map(({ status }) => status)).toEqual([
      'cancelled',
      'cancelled',
    ]);
    await detent.run('and?', { sessionId: 's' }).result;
    expect(model.requests[1]?.messages.filter(({ role }) => role === 'tool').map(({ text }) => text)).toEqual(
      [
        'The run ended while this call was running; it may have taken effect.',
        'Not run: the run ended first.',
      ],
    );
  });

  it('names the rule when policy refuses', async () => {
    const { detent, model } = await scripted([ask(), { text: 'pity' }], { tools: { define: [write()] } });
    const view = await detent.run('write', { approve: 'none' }).result;
    expect(view).toMatchObject({
      outcome: 'blocked_by_policy',
      steps: [{ toolCalls: [{ status: 'rejected', code: 'REJECTED_BY_POLICY' }] }, {}],
    });
    expect(model.requests[1]?.messages.at(-1)?.text).toContain('approval');
  });
});

describe('a tool’s long output', () => {
  const big = `${'a'.repeat(60_000)}${'z'.repeat(1_000)}`;

  it('is kept as an artifact, with a preview in the prompt', async () => {
    const { detent, model } = await scripted([{ toolCalls: [{ name: 'dump' }] }, { text: 'long' }], {
      tools: { define: [tool('dump', { run: () => big })] },
    });
    const view = await detent.run('dump').result;
    const shown = model.requests[1]?.messages.at(-1)?.text ?? '';
    expect(shown.length).toBeLessThan(3_000);
    expect(shown).toMatch(
      /^a{2000}\n\[… 58500 characters left out …\]\nz{500}\n\[The whole output, 61000 characters, is kept as artifact art_\w+\.\]$/,
    );
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({ status: 'done', result: shown });
  });

  it('is left alone at the limit', async () => {
    const { detent, model } = await scripted([{ toolCalls: [{ name: 'dump' }] }, { text: 'long' }], {
      tools: { define: [tool('dump', { run: () => 'x'.repeat(50_000) })] },
    });
    await detent.run('dump').result;
    expect(model.requests[1]?.messages.at(-1)?.text).toBe('x'.repeat(50_000));
  });
});
