import { describe, expect, it } from 'vitest';
import { type ToolDefinition, ToolFailure } from '../../src/index.ts';
import { fakeClock, scriptedModel } from '../../src/testing/index.ts';
import { gate, scripted, tool, withModel } from '../support/detent.ts';

describe('a model of one’s own that breaks its contract', () => {
  it.each([
    ['throws', async () => Promise.reject(new Error('I never throw'))],
    [
      'throws before it awaits',
      () => {
        throw new Error('I never throw');
      },
    ],
    ['throws no error', async () => Promise.reject('a string')],
    ['throws nothing', async () => Promise.reject(undefined)],
    ['throws what cannot be shown', async () => Promise.reject(Object.create(null))],
    ['answers nothing', async () => undefined],
    ['answers null', async () => null],
    ['answers half', async () => ({ text: 'hi' })],
  ])('and %s ends its run as internal_error, and no other', async (_, generate) => {
    let calls = 0;
    const good = {
      model: 'm',
      text: 'fine',
      reasoning: '',
      refusal: '',
      toolCalls: [],
      finishReason: 'stop',
      finish: 'stop' as const,
      usage: null,
      error: null,
    };
    const model = { generate: () => (calls++ === 0 ? generate() : Promise.resolve(good)) } as never;
    const detent = withModel(model);
    const view = await detent.run('hello', { session: 's' }).result;
    expect(view).toMatchObject({
      status: 'failed',
      outcome: 'internal_error',
      error: { code: 'INTERNAL', retryable: false },
    });
    expect((await detent.run('again', { session: 's' }).result).text).toBe('fine');
  });

  it('and speaks on after its answer changes nothing', async () => {
    let later = () => {};
    const model = scriptedModel([
      (_, { onDelta }) => {
        later = () => onDelta({ type: 'text', text: 'and another thing' });
        return { text: 'done' };
      },
    ]);
    const detent = withModel(model);
    const run = detent.run('hello');
    await run.result;
    later();
    expect((await run.result).text).toBe('done');
  });

  it('and ignores the abort cannot keep its run, or its lane, alive', async () => {
    const { reached, pass, open } = gate();
    const model = scriptedModel([() => pass().then(() => ({ text: 'late' })), { text: 'next' }]);
    const detent = withModel(model);
    const run = detent.run('hello', { session: 's' });
    await reached;
    await run.cancel();
    expect((await run.result).status).toBe('cancelled');
    expect((await detent.run('next', { session: 's' }).result).text).toBe('next');
    open();
    expect((await detent.runs.show(run.runId)).text).toBe('');
  });
});

describe('a tool that misbehaves', () => {
  const told = async (over: Parameters<typeof tool>[1], args: unknown = {}) => {
    const { detent, model } = await scripted(
      [{ toolCalls: [{ name: 'act', arguments: args }] }, { text: 'ok' }],
      {
        tools: { define: [tool('act', { confirm: false, ...over })] },
      },
    );
    const view = await detent.run('act').result;
    expect(view).toMatchObject({ status: 'done', text: 'ok' });
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      toolCallId: 'call_0',
      name: 'act',
    });
    return view.steps[0]?.toolCalls[0];
  };
  const throwing = (thrown: unknown) => ({
    run: () => {
      throw thrown;
    },
  });

  it('by throwing tells the model why', async () => {
    expect(await told(throwing(new Error('no ink')))).toMatchObject({
      status: 'failed',
      code: 'TOOL_FAILED',
      result: 'no ink',
    });
    expect(await told(throwing(new ToolFailure('OUT_OF_INK', 'buy some')))).toMatchObject({
      code: 'OUT_OF_INK',
      result: 'buy some',
    });
    expect(await told(throwing('a string'))).toMatchObject({ code: 'TOOL_FAILED', result: 'a string' });
    expect(await told(throwing(undefined))).toMatchObject({ code: 'TOOL_FAILED' });
  });

  it('by returning what cannot be shown says so', async () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    for (const value of [circular, 1n, () => 1, Buffer.from('x'), Symbol('s')])
      expect(await told({ run: () => value })).toMatchObject({
        status: 'failed',
        code: 'TOOL_RESULT_INVALID',
      });
  });

  it('by returning nothing, or anything plain, is no trouble', async () => {
    expect(await told({ run: () => undefined })).toMatchObject({ status: 'done', result: '' });
    expect(await told({ run: () => null })).toMatchObject({ status: 'done', result: 'null' });
    expect(await told({ run: async () => ({ a: [1] }) })).toMatchObject({
      status: 'done',
      result: '{"a":[1]}',
    });
  });

  it('by never coming back is timed out', async () => {
    expect(await told({ run: () => new Promise(() => {}), timeoutMs: 20 })).toMatchObject({
      status: 'failed',
      code: 'TIMEOUT',
    });
  });

  it('in its class or its question is asked about as the worst', async () => {
    const broken = () => {
      throw new Error('which?');
    };
    const { detent } = await scripted([{ toolCalls: [{ name: 'act' }] }], {
      tools: { define: [tool('act', { sideEffect: broken })] },
    });
    expect((await detent.run('act').result).status).toBe('waiting');
  });

  it('fails alone: its neighbours have their results', async () => {
    const fail = tool('fail', throwing(new Error('no ink')));
    const { detent, model } = await scripted(
      [{ toolCalls: [{ name: 'look' }, { name: 'fail' }, { name: 'look' }] }, { text: 'ok' }],
      { tools: { define: [tool('look'), fail] } },
    );
    await detent.run('go').result;
    expect(model.requests[1]?.messages.slice(-3).map(({ text }) => text)).toEqual(['ok', 'no ink', 'ok']);
  });

  it('by returning 100 MB is kept in part, and shown to the model in short', async () => {
    const call = await told({ run: () => 'x'.repeat(100_000_000) });
    expect(call).toMatchObject({ status: 'done', isError: false });
    expect(call?.result?.length).toBeLessThan(10_000);
    expect(call?.result).toContain('100000000 characters');
  });

  it.each<[string, Partial<ToolDefinition<Record<string, unknown>>>]>([
    ['throwing an error', throwing(new Error('no ink'))],
    ['throwing nothing', throwing(undefined)],
    ['throwing what cannot be shown', throwing(Object.create(null))],
    [
      'throwing an error that lies',
      throwing(
        Object.defineProperty(new Error('x'), 'message', {
          get() {
            throw new Error('no');
          },
        }),
      ),
    ],
    ['rejecting', { run: () => Promise.reject(new Error('later')) }],
    ['hanging', { run: () => new Promise(() => {}), timeoutMs: 30 }],
    [
      'ignoring its signal',
      { run: () => new Promise((resolve) => setTimeout(resolve, 300, 'late')), timeoutMs: 30 },
    ],
    ['returning a number that JSON has not', { run: () => 1n }],
    ['returning itself', { run: () => globalThis }],
    ['returning a function', { run: () => () => 1 }],
    [
      'returning what throws when it is written',
      {
        run: () => ({
          toJSON() {
            throw new Error('no');
          },
        }),
      },
    ],
    ['returning a promise of a promise that fails', { run: async () => Promise.reject(new Error('deep')) }],
  ])('by %s fails alone: its neighbours have their results, and the run goes on', async (_, over) => {
    const calls = ['look', 'bad', 'look'].map((name) => ({ name }));
    const { detent, model } = await scripted([{ toolCalls: calls }, { text: 'ok' }], {
      tools: { define: [tool('look'), tool('bad', over)] },
    });
    const view = await detent.run('go').result;
    expect(view).toMatchObject({ status: 'done', text: 'ok' });
    expect(view.steps[0]?.toolCalls.map(({ isError }) => isError)).toEqual([false, true, false]);
    const [first, , last] = model.requests[1]?.messages.slice(-3).map(({ text }) => text) ?? [];
    expect([first, last]).toEqual(['ok', 'ok']);
  });

  it('by ignoring the abort cannot keep its run from being cancelled', async () => {
    const { reached, pass, open } = gate();
    let ended = false;
    const deaf = tool('deaf', {
      run: async () => {
        await pass();
        ended = true;
      },
    });
    const { detent } = await scripted(
      [{ toolCalls: [{ name: 'look' }, { name: 'deaf' }] }, { text: 'next' }],
      {
        tools: { define: [tool('look'), deaf] },
      },
    );
    const run = detent.run('go', { session: 's' });
    await reached;
    await run.cancel();
    const view = await run.result;
    expect(view.status).toBe('cancelled');
    expect(ended).toBe(false);
    expect((await detent.run('next', { session: 's' }).result).text).toBe('next');
    open();
  });

  it('by reporting progress in odd ways breaks no run', async () => {
    const act = tool('act', {
      run: (_, { progress, log }) => {
        progress(undefined as never);
        progress({ toString: () => 'x'.repeat(100_000) } as never);
        log('odd', { deep: { deeper: [null] } });
        return 'ok';
      },
    });
    const { detent } = await scripted([{ toolCalls: [{ name: 'act' }] }, { text: 'ok' }], {
      tools: { define: [act] },
    });
    expect((await detent.run('act').result).steps[0]?.toolCalls[0]).toMatchObject({ status: 'done' });
  });

  it('by calling back after its end changes nothing', async () => {
    let later = () => {};
    const act = tool('act', {
      run: (_, { progress, log }) => {
        later = () => {
          progress('still here');
          log('still here');
        };
        return 'ok';
      },
    });
    const { detent } = await scripted([{ toolCalls: [{ name: 'act' }] }, { text: 'ok' }], {
      tools: { define: [act] },
    });
    const run = detent.run('act');
    await run.result;
    later();
    expect((await run.result).status).toBe('done');
  });
});

describe('a model that misbehaves with tools', () => {
  const calling = async (call: { name: string; arguments?: unknown }, allowed?: string[]) => {
    const { detent } = await scripted([{ toolCalls: [call] }, { text: 'ok' }], {
      tools: { define: [tool('look'), tool('write', { sideEffect: 'unsafe' })] },
    });
    const run = detent.run('go', allowed ? { tools: allowed } : {});
    return (await run.result).steps[0]?.toolCalls[0];
  };

  it('is told what there is when it names what there is not', async () => {
    const call = await calling({ name: 'lok' });
    expect(call).toMatchObject({ status: 'failed', code: 'UNKNOWN_TOOL', decision: null });
    expect(call?.result).toContain('Did you mean "look"?');
  });

  it('is refused what the run may not use, even by the right name', async () => {
    expect(await calling({ name: 'write' }, ['look'])).toMatchObject({
      status: 'rejected',
      code: 'TOOL_NOT_ALLOWED',
    });
  });

  it.each(['not json', '[1]', '"text"', 'null', '{"a":'])(
    'is told that its arguments are none: %s',
    async (raw) => {
      expect(await calling({ name: 'look', arguments: raw })).toMatchObject({
        status: 'failed',
        code: 'INVALID_ARGUMENTS',
        arguments: expect.toSatisfy(() => true),
      });
    },
  );
});

describe('time', () => {
  it('passes in a back-off, and the next attempt is made', async () => {
    const clock = fakeClock();
    const down = {
      error: { kind: 'server', code: 'MODEL_SERVER', message: 'down', retryable: true },
    } as const;
    const { detent, model } = await scripted([down, down, { text: 'up' }], { clock });
    const run = detent.run('hello');
    await run.started;
    await clock.advance(60_000);
    expect(await run.result).toMatchObject({ text: 'up' });
    model.assertComplete();
  });

  it('that a provider asks for is waited, or not at all', async () => {
    const clock = fakeClock();
    const busy = (retryAfterMs: number) =>
      ({
        error: {
          kind: 'rate_limit',
          code: 'MODEL_RATE_LIMIT',
          message: 'slow down',
          retryable: true,
          retryAfterMs,
        },
      }) as const;
    const { detent } = await scripted([busy(30_000), { text: 'up' }, busy(3_600_000)], { clock });
    const run = detent.run('hello');
    await run.started;
    await clock.advance(29_999);
    expect((await detent.runs.show(run.runId)).status).toBe('running');
    await clock.advance(1);
    expect((await run.result).text).toBe('up');
    expect(await detent.run('again').result).toMatchObject({
      outcome: 'provider_error',
      error: { code: 'MODEL_RATE_LIMIT' },
    });
  });
});

describe('many runs at once', () => {
  it('all end, each with its own answer', async () => {
    const model = scriptedModel(
      Array.from(
        { length: 400 },
        () =>
          ({ messages }) =>
            messages.at(-1)?.role === 'tool'
              ? { text: `saw ${messages.at(-1)?.text}` }
              : { toolCalls: [{ name: 'look', arguments: { n: messages.at(-1)?.text } }] },
      ),
    );
    const detent = withModel(model, { tools: { define: [tool('look', { run: ({ n }) => n })] } });
    const views = await Promise.all(Array.from({ length: 200 }, (_, i) => detent.run(`${i}`).result));
    expect(views.map(({ text }) => text)).toEqual(Array.from({ length: 200 }, (_, i) => `saw ${i}`));
    model.assertComplete();
  });
});
