import { describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { gate, scripted, tool, withModel } from '../support/detent.ts';
import { inSizes } from '../support/size.ts';

describe('a model of one’s own that breaks its contract', () => {
  it.each([
    ['throws', 'internal_error', async () => Promise.reject(new Error('I never throw'))],
    [
      'throws before it awaits',
      'internal_error',
      () => {
        throw new Error('I never throw');
      },
    ],
    ['throws no error', 'internal_error', async () => Promise.reject('a string')],
    ['throws nothing', 'internal_error', async () => Promise.reject(undefined)],
    ['throws what cannot be shown', 'internal_error', async () => Promise.reject(Object.create(null))],
    ['answers nothing', 'provider_error', async () => undefined],
    ['answers null', 'provider_error', async () => null],
    ['answers half', 'provider_error', async () => ({ text: 'hi' })],
  ])('and %s ends its run as %s, and no other', async (_, outcome, generate) => {
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
    const view = await detent.run('hello', { sessionId: 's' }).result;
    expect(view).toMatchObject({
      status: 'failed',
      outcome,
      error: { code: outcome === 'internal_error' ? 'INTERNAL' : 'MODEL_MALFORMED', retryable: false },
    });
    expect((await detent.run('again', { sessionId: 's' }).result).text).toBe('fine');
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
    const run = detent.run('hello', { sessionId: 's' });
    await reached;
    await run.cancel();
    expect((await run.result).status).toBe('cancelled');
    expect((await detent.run('next', { sessionId: 's' }).result).text).toBe('next');
    open();
    expect((await detent.runs.show(run.runId)).text).toBe('');
  });
});

describe('a tool that misbehaves', () => {
  const throwing = (thrown: unknown) => ({
    run: () => {
      throw thrown;
    },
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

  it.each<[string, Partial<ToolDefinition<Record<string, unknown>>>]>([
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
    ['hanging', { run: () => new Promise(() => {}), timeoutMs: 30 }],
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
    const run = detent.run('go', { sessionId: 's' });
    await reached;
    await run.cancel();
    const view = await run.result;
    expect(view.status).toBe('cancelled');
    expect(ended).toBe(false);
    expect((await detent.run('next', { sessionId: 's' }).result).text).toBe('next');
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

const many = inSizes({ usual: 30, deep: 100, full: 200 });

describe('many runs at once', () => {
  it('all end, each with its own answer', async () => {
    const model = scriptedModel(
      Array.from(
        { length: 2 * many },
        () =>
          ({ messages }) =>
            messages.at(-1)?.role === 'tool'
              ? { text: `saw ${messages.at(-1)?.text}` }
              : { toolCalls: [{ name: 'look', arguments: { n: messages.at(-1)?.text } }] },
      ),
    );
    const detent = withModel(model, { tools: { define: [tool('look', { run: ({ n }) => n })] } });
    const views = await Promise.all(Array.from({ length: many }, (_, i) => detent.run(`${i}`).result));
    expect(views.map(({ text }) => text)).toEqual(Array.from({ length: many }, (_, i) => `saw ${i}`));
    model.assertComplete();
  });
});
