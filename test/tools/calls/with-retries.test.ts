import { describe, expect, it } from 'vitest';
import { ToolFailure } from '../../../src/protocol/tool.ts';
import { createToolbox } from '../../../src/tools/toolbox.ts';
import { fakeTool, toolContext } from '../helpers.ts';

type ToolboxOptions = Parameters<typeof createToolbox>[0];

const busy = () => new ToolFailure('BUSY', 'not now', { retryable: true });

/** Runs a tool that fails a number of times first; answers what came of it, the attempts, and what watchers heard. */
async function calling(
  over: Parameters<typeof fakeTool>[0],
  failures: unknown[],
  limits: ToolboxOptions['limits'] = {},
  signal = new AbortController().signal,
) {
  let attempts = 0;
  const heard: string[] = [];
  const tool = fakeTool({
    retries: 2,
    run: () => {
      attempts += 1;
      if (attempts <= failures.length) throw failures[attempts - 1];
      return 'at last';
    },
    ...over,
  });
  const toolbox = createToolbox({ tools: [tool], allowed: null, limits });
  const ctx = toolContext({ signal, progress: (message) => heard.push(message) });
  const outcome = await toolbox.run('fake', '{}', ctx);
  return { ...outcome, attempts, heard };
}

describe('a call that failed for the moment', () => {
  it('is retried as often as its tool says, and watchers see it', async () => {
    const { text, attempts, heard } = await calling({}, [busy(), new ToolFailure('NETWORK_ERROR', 'gone')]);
    expect({ text, attempts }).toEqual({ text: 'at last', attempts: 3 });
    expect(heard).toEqual([
      'attempt 1 of 3 failed (not now); the next one in 0.2 s',
      'attempt 2 of 3 failed (gone); the next one in 0.4 s',
    ]);
  });

  it('fails in the end with what the last attempt says', async () => {
    const last = new ToolFailure('STILL_BUSY', 'try tomorrow', { retryable: true });
    expect(await calling({ retries: 1 }, [busy(), last])).toMatchObject({
      isError: true,
      code: 'STILL_BUSY',
      attempts: 2,
    });
  });

  it('is not retried by default', async () => {
    expect(await calling({ retries: undefined as never }, [busy()])).toMatchObject({
      code: 'BUSY',
      attempts: 1,
    });
    const limits = { fake: { retries: 1 } };
    expect(await calling({ retries: undefined as never }, [busy()], limits)).toMatchObject({ attempts: 2 });
    expect(await calling({}, [busy()], { fake: { retries: 0 } })).toMatchObject({ attempts: 1 });
  });

  it.each(['probe', 'unsafe'] as const)('is never made again by itself when it is %s', async (sideEffect) => {
    const status = () => ({ unknown: true }) as const;
    expect(await calling({ sideEffect, status }, [busy()])).toMatchObject({ code: 'BUSY', attempts: 1 });
  });

  it('may be idempotent', async () => {
    expect(await calling({ sideEffect: 'idempotent' }, [busy()])).toMatchObject({ attempts: 2 });
  });

  it.each([
    ['a failure for good', new ToolFailure('GONE', 'never')],
    ['a plain error', new Error('oops')],
    ['no error', { retryable: true }],
    ['nothing', undefined],
  ])('is not one that threw %s', async (_, thrown) => {
    expect(await calling({}, [thrown])).toMatchObject({ isError: true, attempts: 1 });
  });

  it('has its time-out for all attempts together', async () => {
    const forever = Array.from({ length: 9 }, busy);
    expect(await calling({ retries: 9, timeoutMs: 100 }, forever)).toMatchObject({
      code: 'TIMEOUT',
      attempts: 1,
    });
  });

  it('is left at once when its run is cancelled', async () => {
    const controller = new AbortController();
    const stop = () => {
      queueMicrotask(() => controller.abort());
      throw busy();
    };
    expect(await calling({ run: stop }, [], {}, controller.signal)).toMatchObject({ code: 'ABORTED' });
  });
});

describe('calls of a tool that takes a few at once', () => {
  function bounded(over: Parameters<typeof fakeTool>[0], limits: ToolboxOptions['limits'] = {}) {
    const open: (() => void)[] = [];
    let now = 0;
    let most = 0;
    const tool = fakeTool({
      run: async () => {
        most = Math.max(most, ++now);
        await new Promise<void>((resolve) => open.push(resolve));
        now -= 1;
        return 'ok';
      },
      ...over,
    });
    const free = fakeTool({ name: 'free' });
    const toolbox = createToolbox({ tools: [tool, free], allowed: null, limits });
    return { toolbox, open, most: () => most };
  }

  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

  it.each([
    ['the tool says', { maxConcurrent: 2 }, {}],
    ['the configuration says', { maxConcurrent: 9 }, { fake: { maxConcurrent: 2 } }],
  ])('wait for their turn, as %s', async (_, over, limits) => {
    const { toolbox, open, most } = bounded(over, limits);
    const calls = Array.from({ length: 5 }, () => toolbox.run('fake', '{}', toolContext()));
    for (let made = 0; made < 5; made++) {
      while (open.length === 0) await turn();
      open.shift()?.();
    }
    expect(await Promise.all(calls)).toHaveLength(5);
    expect(most()).toBe(2);
  });

  it('leave the line when they are cancelled, and change nothing for the others', async () => {
    const { toolbox, open } = bounded({ maxConcurrent: 1, sideEffect: 'unsafe' });
    const first = toolbox.run('fake', '{}', toolContext());
    const controller = new AbortController();
    const second = toolbox.run('fake', '{}', toolContext({ signal: controller.signal }));
    const third = toolbox.run('fake', '{}', toolContext());
    while (open.length === 0) await turn();
    controller.abort();
    // It had not begun, so there is no doubt about it.
    expect(await second).toEqual({
      isError: true,
      code: 'ABORTED',
      text: 'fake was cancelled before it finished',
    });
    expect(await toolbox.run('free', '{}', toolContext())).toMatchObject({ isError: false });
    open.shift()?.();
    expect(await first).toMatchObject({ text: 'ok' });
    while (open.length === 0) await turn();
    open.shift()?.();
    expect(await third).toMatchObject({ text: 'ok' });
  });

  it('give their place back when they time out, even if they hang', async () => {
    const { toolbox } = bounded({ maxConcurrent: 1, timeoutMs: 20 });
    const both = [1, 2].map(() => toolbox.run('fake', '{}', toolContext()));
    for (const outcome of await Promise.all(both)) expect(outcome.code).toBe('TIMEOUT');
  });
});
