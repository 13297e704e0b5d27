import { describe, expect, it } from 'vitest';
import type { Detent, RunSignal } from '../../../src/index.ts';
import type { ModelDelta } from '../../../src/protocol/content.ts';
import { fakeClock, type ScriptedAnswer, scriptedModel } from '../../../src/testing/index.ts';
import { gate, scripted, tool, withModel } from '../../support/detent.ts';

const cut = {
  kind: 'network',
  code: 'MODEL_NETWORK',
  message: 'cut off',
  retryable: true,
  retryAfterMs: 0,
} as const;
const half: ScriptedAnswer = { text: 'half a sen', error: cut };
const whole: ScriptedAnswer = { text: 'a whole sentence' };

/** A signal in a few words. */
function shown({ type, effectId, attempt, event, delta }: RunSignal): string {
  if (type === 'transition') return (event as { type: string }).type;
  const words = delta ? ` ${JSON.stringify((delta as ModelDelta & { text?: string }).text)}` : '';
  return `${type} ${effectId}:${attempt}${words}`;
}

describe('an answer that breaks off and is made again', () => {
  it('is told to watchers as withdrawn, before the transition that repeats the call', async () => {
    const { detent } = await scripted([half, whole]);
    const run = detent.run('talk');
    expect((await Array.fromAsync(run.events)).map(shown)).toEqual([
      'run.start',
      'delta 1:1 "half a sen"',
      'delta.reset 1:1',
      'model.failed',
      'timer.backoff',
      'delta 2:1 "a whole sentence"',
      'model.done',
    ]);
  });

  it('is whole for a watcher that joins late: the log says what was withdrawn, and the answer comes from its beginning', async () => {
    const speaking = gate();
    const { detent } = await scripted([
      half,
      async (_, { onDelta, signal }) => {
        onDelta({ type: 'text', text: 'early ' });
        await speaking.pass(signal);
        return { text: 'late' };
      },
    ]);
    const run = detent.run('talk');
    await speaking.reached;
    const late = Array.fromAsync(detent.runs.attach(run.runId).events);
    await detent.runs.show(run.runId);
    speaking.open();
    const signals = await late;
    expect(signals.map(shown)).toEqual([
      'run.start',
      'model.failed',
      'timer.backoff',
      'delta 2:1 "early "',
      'delta 2:1 "late"',
      'model.done',
    ]);
    expect(signals[1]).toMatchObject({ messages: [{ role: 'withdrawn', text: 'half a sen' }] });
    expect(signals[3]).toMatchObject({ offset: 0 });
    expect(signals[4]).toMatchObject({ offset: 'early '.length });
  });

  it('stays in the log with its cost, and is no step of the run', async () => {
    const { detent } = await scripted([{ ...half, usage: { inputTokens: 30, outputTokens: 3 } }, whole]);
    const run = detent.run('talk');
    const signals = await Array.fromAsync(run.events);
    const failed = signals.find((signal) => shown(signal) === 'model.failed');
    expect(failed).toMatchObject({
      event: { partial: true, cost: { inputTokens: 30, outputTokens: 3 } },
      messages: [{ role: 'withdrawn', text: 'half a sen', usage: { inputTokens: 30, outputTokens: 3 } }],
    });
    const view = await run.result;
    expect(view).toMatchObject({ outcome: 'completed', text: 'a whole sentence' });
    expect(view.steps.map(({ text }) => text)).toEqual(['a whole sentence']);
    expect(view.withdrawn).toMatchObject([{ seq: 2, text: 'half a sen', error: { code: 'MODEL_NETWORK' } }]);
    expect(view.usage).toMatchObject({ inputTokens: 40, outputTokens: 8 });
    const { total } = await detent.usage({ runId: view.runId });
    expect(total).toMatchObject({ calls: 2, failed: 1, inputTokens: 40, outputTokens: 8, estimated: 0 });
  });

  it('is in no later prompt, no search and no conversation', async () => {
    const { detent, model } = await scripted([half, whole, { text: 'yes' }]);
    await detent.run('talk', { sessionId: 's' }).result;
    await detent.run('again', { sessionId: 's' }).result;
    for (const { messages } of model.requests) expect(JSON.stringify(messages)).not.toContain('half a sen');
    expect((await detent.sessions.search('half')).results).toEqual([]);
    expect((await detent.sessions.search('whole sentence')).results).not.toEqual([]);
    const session = await detent.sessions.show('s');
    expect(session.conversation.map(({ text }) => text)).toEqual([
      'talk',
      'a whole sentence',
      'again',
      'yes',
    ]);
    expect(session.messages).toBe(4);
  });

  it('is a line of its own in an export, and an import keeps it withdrawn', async () => {
    const { detent } = await scripted([{ ...half, toolCalls: [{ name: 'datetime' }] }, whole]);
    await detent.run('talk', { sessionId: 's' }).result;
    const lines = await Array.fromAsync(detent.sessions.export('s'));
    const said = lines.map((line) => JSON.parse(line) as { type: string; text?: string; answer?: object });
    const of = (type: string) => said.filter((line) => line.type === type);
    expect(of('assistant.message').map(({ text }) => text)).toEqual(['a whole sentence']);
    expect(of('tool.use')).toEqual([]);
    expect(of('detent.withdrawn')).toMatchObject([
      { answer: { text: 'half a sen', toolCalls: [{ name: 'datetime' }], error: { code: 'MODEL_NETWORK' } } },
    ]);

    const { detent: other, model } = await scripted([{ text: 'yes' }]);
    const { sessionId } = await other.sessions.import(`${lines.join('\n')}\n`);
    const imported = await other.sessions.show(sessionId);
    expect(imported.conversation.map(({ text }) => text)).toEqual(['talk', 'a whole sentence']);
    expect(imported.usage).toMatchObject({ inputTokens: 20, outputTokens: 10 });
    await other.run('and?', { sessionId }).result;
    expect(JSON.stringify(model.requests)).not.toContain('half a sen');
  });

  it('never runs its tool calls, however complete they look', async () => {
    const ran: unknown[] = [];
    const act = tool('act', {
      sideEffect: 'unsafe',
      confirm: false,
      run: (args) => {
        ran.push(args);
        return 'done';
      },
    });
    const calls = (n: number) => [{ name: 'act', arguments: { n } }];
    const { detent, model } = await scripted(
      [{ toolCalls: calls(1), error: cut }, { toolCalls: calls(2) }, whole],
      { tools: { define: [act] } },
    );
    const view = await detent.run('act').result;
    expect(ran).toEqual([{ n: 2 }]);
    expect(view.withdrawn).toMatchObject([{ calls: [{ name: 'act', argumentsRaw: '{"n":1}' }] }]);
    expect(view.steps[0]?.toolCalls).toHaveLength(1);
    model.assertComplete();
  });

  it('hands the call over to the next model', async () => {
    const overloaded = { ...cut, kind: 'overloaded', code: 'MODEL_OVERLOADED' } as const;
    const [a, b] = [
      scriptedModel([{ ...half, error: { ...overloaded, retryAfterMs: 9_000 } }]),
      scriptedModel([whole]),
    ];
    const detent = withModel(a, { model: 'a/m', fallbacks: ['b/m'], models: { a, b } });
    const run = detent.run('talk');
    expect((await Array.fromAsync(run.events)).map(shown)).toEqual([
      'run.start',
      'delta 1:1 "half a sen"',
      'delta.reset 1:1',
      'model.switched',
      'delta 2:1 "a whole sentence"',
      'model.done',
    ]);
    expect(await run.result).toMatchObject({ outcome: 'completed', withdrawn: [{ text: 'half a sen' }] });
  });

  it('counts for the circuit breaker like a call that never began', async () => {
    const { detent } = await scripted([half, half, whole], {
      router: { breaker: { failures: 2, openMs: 60_000 } },
      limits: { maxRetries: 2 },
    });
    const view = await detent.run('talk').result;
    expect(view).toMatchObject({
      outcome: 'provider_error',
      error: { code: 'MODEL_CIRCUIT_OPEN' },
      text: '',
    });
    expect(view.withdrawn).toHaveLength(2);
  });

  it('keeps its words when its error is final', async () => {
    const refused = { kind: 'bad_request', code: 'MODEL_BAD_REQUEST', retryable: false } as const;
    const { detent, model } = await scripted([{ text: 'half a sen', error: refused }]);
    const run = detent.run('talk');
    expect((await Array.fromAsync(run.events)).map(shown)).not.toContain('delta.reset 1:1');
    const view = await run.result;
    expect(view).toMatchObject({ outcome: 'provider_error', text: 'half a sen' });
    expect(view.withdrawn).toBeUndefined();
    model.assertComplete();
  });

  it('is withheld from watchers, hooks and the log when a hook judges answers; its cost counts', async () => {
    const judged: string[] = [];
    const { detent } = await scripted([half, whole], {
      hooks: { afterModel: [({ text }) => void judged.push(text)] },
    });
    const run = detent.run('talk');
    const told = (await Array.fromAsync(run.events)).filter(({ type }) => type === 'delta').map(shown);
    expect(told).toEqual(['delta 2:1 "a whole sentence"']);
    expect(judged).toEqual(['a whole sentence']);
    const view = await run.result;
    expect(view.withdrawn).toMatchObject([{ text: '', usage: { inputTokens: 10, outputTokens: 5 } }]);
    expect(view.usage).toMatchObject({ inputTokens: 20, outputTokens: 10 });
  });

  it('is explained by why', async () => {
    const { detent } = await scripted([half, { text: 'half again', error: cut }]);
    const view = await detent.run('talk', { limits: { maxRetries: 1 } }).result;
    const { details } = await detent.runs.why(view.runId);
    expect(details.join('\n')).toMatch(
      /attempt 1 .*retried after 0 ms; the received part of its answer was withdrawn/,
    );
  });
});

describe('while a broken call waits for its next attempt', () => {
  const slow: ScriptedAnswer = { text: 'half a sen', error: { ...cut, retryAfterMs: 5_000 } };

  /** Waits until the run backs off. */
  async function backingOff(detent: Detent) {
    const run = detent.run('talk', { sessionId: 's' });
    for await (const { path } of run.events) if (String(path).endsWith('backingOff')) break;
    return run;
  }

  it('a cancelled run ends without the withdrawn words', async () => {
    const { detent, model } = await scripted([slow], { clock: fakeClock() });
    const run = await backingOff(detent);
    await run.cancel();
    expect(await run.result).toMatchObject({
      outcome: 'cancelled',
      text: '',
      withdrawn: [{ text: 'half a sen' }],
    });
    model.assertComplete();
  });

  it('a message of the user is in the next attempt', async () => {
    const clock = fakeClock();
    const { detent, model } = await scripted([slow, whole], { clock });
    const run = await backingOff(detent);
    await run.steer('shorter');
    await clock.advance(5_000);
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'a whole sentence' });
    expect(model.requests[1]?.messages.slice(-2).map(({ text }) => text)).toEqual(['talk', 'shorter']);
  });
});
