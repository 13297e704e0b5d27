import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import {
  defineTool,
  type ToolContext,
  type ToolDefinition,
  ToolFailure,
} from '../../../src/protocol/tool.ts';
import { callTool, fakeTool, toolboxOf, toolContext } from '../helpers.ts';

type Run = ToolDefinition<Record<string, never>>['run'];

const outcomeOf = (
  run: Run,
  over: Partial<ToolDefinition<Record<string, never>>> = {},
  ctx: Partial<ToolContext> = {},
) => callTool(fakeTool({ run, ...over }), {}, ctx);
const throwing = (thrown: unknown) =>
  outcomeOf(() => {
    throw thrown;
  });

describe('results', () => {
  it.each([
    ['a string as it is', 'line 1\nline 2', 'line 1\nline 2'],
    ['nothing as no text', undefined, ''],
    ['null as JSON', null, 'null'],
    ['an object as JSON', { a: [1, 'x'] }, '{"a":[1,"x"]}'],
    ['a promise by what it holds', Promise.resolve(7), '7'],
  ])('gives %s', async (_, result, text) => {
    expect(await outcomeOf(() => result)).toEqual({ isError: false, code: null, text });
  });

  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  it.each([
    ['a cycle', cyclic],
    ['a BigInt', { count: 1n }],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['binary data', new Uint8Array(100_000_000)],
    [
      'a broken toJSON',
      {
        toJSON: () => {
          throw new Error('no');
        },
      },
    ],
  ])('explains that %s cannot be shown', async (_, result) => {
    const outcome = await outcomeOf(() => result);
    expect(outcome).toMatchObject({ isError: true, code: 'TOOL_RESULT_INVALID' });
    expect(outcome.text).toMatch(/^The tool ran, but its result cannot be shown/);
  });

  it('survives a result of 100 MB', async () => {
    const outcome = await outcomeOf(() => 'x'.repeat(100_000_000));
    expect(outcome.text).toHaveLength(100_000_000);
  });
});

describe('failures', () => {
  it('gives the message of what was thrown, not its stack', async () => {
    expect(await throwing(new Error('disk on fire'))).toEqual({
      isError: true,
      code: 'TOOL_FAILED',
      text: 'disk on fire',
    });
  });

  it('keeps the code of a ToolFailure', async () => {
    expect(await throwing(new ToolFailure('OUT_OF_STOCK', 'only 2 left'))).toMatchObject({
      code: 'OUT_OF_STOCK',
      text: 'only 2 left',
    });
  });

  it('adds the cause that `fetch` hides behind "fetch failed"', async () => {
    const error = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') });
    expect(await throwing(error)).toMatchObject({ text: 'fetch failed: connect ECONNREFUSED 127.0.0.1:1' });
  });

  it.each([
    ['a string', 'oops', 'oops'],
    ['undefined', undefined, 'undefined'],
    ['an object without prototype', Object.create(null), 'an error that cannot be described'],
    [
      'an error that throws',
      new Proxy(new Error(), {
        get() {
          throw new Error();
        },
        has() {
          throw new Error();
        },
      }),
      'an error that cannot be described',
    ],
  ])('survives that %s is thrown', async (_, thrown, text) => {
    expect(await throwing(thrown)).toEqual({ isError: true, code: 'TOOL_FAILED', text });
  });

  it('takes an async rejection like a throw', async () => {
    expect(await outcomeOf(() => Promise.reject(new Error('later')))).toMatchObject({
      code: 'TOOL_FAILED',
      text: 'later',
    });
  });

  it('validates the bytes that are executed, and does not run invalid ones', async () => {
    const run = vi.fn();
    const tool = defineTool({
      name: 't',
      description: '',
      parameters: z.object({ n: z.number() }),
      sideEffect: 'readonly',
      run,
    });
    expect(await callTool(tool, { n: 'x' })).toMatchObject({ isError: true, code: 'INVALID_ARGUMENTS' });
    expect(run).not.toHaveBeenCalled();
  });

  it('answers for a tool that does not exist', async () => {
    const outcome = await toolboxOf(fakeTool()).run('fak', '{}', toolContext());
    expect(outcome).toEqual({
      isError: true,
      code: 'UNKNOWN_TOOL',
      text: 'There is no tool "fak". Did you mean "fake"? Available tools: fake.',
    });
  });
});

describe('time-outs and cancellation', () => {
  it('ends a tool that hangs and ignores its signal, and says what that means', async () => {
    expect(await outcomeOf(() => new Promise(() => {}), { timeoutMs: 20 })).toEqual({
      isError: true,
      code: 'TIMEOUT',
      text: 'fake timed out after 0.02 s',
    });
    const unsafe = await outcomeOf(() => new Promise(() => {}), { timeoutMs: 20, sideEffect: 'unsafe' });
    expect(unsafe.text).toBe('fake timed out after 0.02 s; it may have taken effect all the same');
  });

  it('calls it a time-out even when the tool throws because of its signal', async () => {
    const run: Run = (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    expect(await outcomeOf(run, { timeoutMs: 20 })).toMatchObject({ code: 'TIMEOUT' });
  });

  it('drops what a tool throws after it was given up', async () => {
    const run: Run = async () => {
      await sleep(30);
      throw new Error('too late');
    };
    expect(await outcomeOf(run, { timeoutMs: 10 })).toMatchObject({ code: 'TIMEOUT' });
    await sleep(40);
  });

  it('passes a cancel on to the tool, and does not wait for one that ignores it', async () => {
    const cancel = new AbortController();
    let seen: AbortSignal | undefined;
    const outcome = outcomeOf(
      (_, { signal }) => {
        seen = signal;
        return new Promise(() => {});
      },
      {},
      { signal: cancel.signal },
    );
    await vi.waitFor(() => expect(seen).toBeDefined(), { timeout: 60_000 });
    cancel.abort(new Error('user'));
    expect(await outcome).toEqual({
      isError: true,
      code: 'ABORTED',
      text: 'fake was cancelled before it finished',
    });
    expect(seen?.aborted).toBe(true);
    expect(seen?.reason).toEqual(new Error('user'));
  });

  it('does not start a tool that is cancelled already', async () => {
    const run = vi.fn();
    const outcome = await outcomeOf(run, { sideEffect: 'unsafe' }, { signal: AbortSignal.abort() });
    expect(outcome).toEqual({
      isError: true,
      code: 'ABORTED',
      text: 'fake was cancelled before it finished',
    });
    expect(run).not.toHaveBeenCalled();
  });

  it('does not fire at once for a time-out beyond what a timer holds', async () => {
    const run: Run = () => sleep(10, 'done');
    expect(await outcomeOf(run, { timeoutMs: Number.POSITIVE_INFINITY })).toMatchObject({ text: 'done' });
    expect(await outcomeOf(run, { timeoutMs: 2 ** 31 })).toMatchObject({ text: 'done' });
  });

  it('leaves no timer and no listener behind', async () => {
    const cancel = new AbortController();
    const added = vi.spyOn(cancel.signal, 'addEventListener');
    const removed = vi.spyOn(cancel.signal, 'removeEventListener');
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    for (let i = 0; i < 20; i++) await outcomeOf(() => 'ok', {}, { signal: cancel.signal });
    // Those that other tests left may end meanwhile.
    expect(timers()).toBeLessThanOrEqual(before);
    expect(removed).toHaveBeenCalledTimes(added.mock.calls.length);
  });

  it('gives the tool its context, also when the host made it from a class', async () => {
    class HostContext {
      readonly logged: string[] = [];
      readonly idempotencyKey = 'run-1:1';
      readonly signal = new AbortController().signal;
      log(message: string) {
        this.logged.push(message);
      }
      progress() {}
    }
    const host = new HostContext();
    const tool = fakeTool({
      run: (_, ctx) => {
        ctx.log('hello');
        ctx.progress('half');
        return ctx.idempotencyKey;
      },
    });
    const outcome = await toolboxOf(tool).run('fake', '', host as unknown as ToolContext);
    expect([outcome.text, host.logged]).toEqual(['run-1:1', ['hello']]);
  });
});
