import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool, type Hooks, type SideEffect } from '../../../src/index.ts';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { gate, scripted, tool } from '../../support/detent.ts';
import { didOf, recordsOf } from './records.ts';

/** `set` changes by its arguments what a repeat would break. */
function setTool(ran: unknown[], confirm: boolean | ((args: { n: number }) => boolean) = false) {
  return defineTool({
    name: 'set',
    description: 'sets',
    parameters: z.object({ n: z.number() }),
    sideEffect: ({ n }): SideEffect => (n < 10 ? 'idempotent' : 'unsafe'),
    confirm,
    run: ({ n }) => `set ${ran.push(n) && n}`,
  });
}

const calls = (...ns: unknown[]): ScriptLine[] => [
  { toolCalls: ns.map((n) => ({ name: 'set', arguments: { n } })) },
  { text: 'done' },
];

async function runWith(hooks: Hooks, confirm?: Parameters<typeof setTool>[1], script = calls(1)) {
  const ran: unknown[] = [];
  const { detent, model } = await scripted(script, { hooks, tools: { define: [setTool(ran, confirm)] } });
  const run = detent.run('go');
  return { detent, model, run, ran, view: await run.result };
}

describe('several hooks at one point', () => {
  it('are called in their order, and each sees what the one before it made', async () => {
    const seen: unknown[] = [];
    const next = ({ arguments: { n } }: { arguments: Record<string, unknown> }) => {
      seen.push(n);
      return { rewrite: { n: Number(n) + 1 } };
    };
    const { detent, ran, view } = await runWith({ beforeTool: [next, next, () => undefined] });
    expect([seen, ran]).toEqual([[1, 2], [3]]);
    expect(await didOf(detent, view.runId)).toEqual([
      'beforeTool next rewrite',
      'beforeTool next rewrite',
      'beforeTool beforeTool 3 nothing',
    ]);
  });

  it('end with the first that refuses', async () => {
    const seen: string[] = [];
    const { ran, view, detent } = await runWith({
      beforeTool: [
        () => void seen.push('a'),
        () => ({ veto: seen.push('b') && 'no' }) as { veto: string },
        () => void seen.push('c'),
      ],
    });
    expect([seen, ran]).toEqual([['a', 'b'], []]);
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({
      status: 'failed',
      code: 'HOOK_VETO',
      result: 'Not run: the hook "beforeTool 2" refused it: no',
    });
    expect(await didOf(detent, view.runId)).toHaveLength(2);
  });
});

describe('arguments that a hook rewrites', () => {
  it('are used, shown as such to the model and in the view, and stand in the log', async () => {
    const { detent, model, view } = await runWith({
      beforeTool: [
        function cap() {
          return { rewrite: { n: 5 } };
        },
      ],
    });
    const note = '[The hook "cap" changed the arguments to {"n":5}]\nset 5';
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({
      argumentsRaw: '{"n":1}',
      arguments: { n: 5 },
      changedBy: 'cap',
      result: note,
    });
    expect(model.requests[1]?.messages.at(-1)?.text).toBe(note);
    const timeline = await detent.runs.timeline(view.runId);
    expect(timeline.find(({ event }) => event === 'tool.result')?.payload).toMatchObject({
      changed: { by: 'cap', arguments: '{"n":5}' },
    });
    expect(await recordsOf(detent, view.runId)).toEqual([
      { hook: 'beforeTool', name: 'cap', did: 'rewrite', arguments: '{"n":5}' },
    ]);
  });

  it.each([
    ['that the tool does not take', { n: 'five' }, false as const, 'Invalid arguments'],
    [
      'that a person would have to approve',
      { n: 5 },
      ({ n }: { n: number }) => n > 1,
      'a person would have to approve',
    ],
    ['that make the call worse to repeat', { n: 50 }, false as const, 'planned as idempotent'],
  ])('are refused when they are some %s', async (_, rewrite, confirm, why) => {
    const { ran, view } = await runWith({ beforeTool: [() => ({ rewrite })] }, confirm);
    expect(ran).toEqual([]);
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({ code: 'HOOK_FAILED', status: 'failed' });
    expect(view.steps[0]?.toolCalls[0]?.result).toContain(why);
    expect(view.outcome).toBe('completed');
  });

  it('are refused when a person approved others', async () => {
    const { ran, run, view } = await runWith({ beforeTool: [() => ({ rewrite: { n: 2 } })] }, true);
    await run.confirm(view.pending[0]?.callId ?? '', { verdict: 'approve' });
    const { steps } = await run.result;
    expect(ran).toEqual([]);
    expect(steps[0]?.toolCalls[0]?.result).toContain(
      'a person has approved the call with its original arguments',
    );
  });

  it('are refused when the call holds a secret, which no hook sees', async () => {
    const secret = 'hunter2-hunter2';
    const seen: unknown[] = [];
    const ran: unknown[] = [];
    const say = tool('say', { run: (args) => `said ${ran.push(args)} ${secret}` });
    const { detent } = await scripted(
      [{ toolCalls: [{ name: 'say', arguments: { text: secret } }] }, { text: 'done' }],
      {
        env: { SHOP_PASSWORD: secret },
        tools: { define: [say] },
        hooks: {
          beforeTool: [
            (view) => {
              seen.push(view.arguments);
              return seen.length === 1 ? undefined : { rewrite: { text: 'x' } };
            },
          ],
          afterTool: [({ text, arguments: args }) => void seen.push(text, args)],
        },
      },
    );
    await detent.run('go').result;
    expect(ran).toEqual([{ text: secret }]);
    expect(JSON.stringify(seen)).not.toContain(secret);
    expect(seen).toHaveLength(3);
  });
});

describe('hooks of calls side by side', () => {
  it('are called for each by itself: one that refuses, or hangs, stops its own call alone', async () => {
    const ran: unknown[] = [];
    const look = tool('look', { run: ({ at }) => `saw ${ran.push(at) && at}` });
    const both = gate();
    let waiting = 0;
    const { detent } = await scripted(
      [
        { toolCalls: ['a', 'b', 'c', 'd'].map((at) => ({ name: 'look', arguments: { at } })) },
        { text: 'done' },
      ],
      {
        tools: { define: [look] },
        hookTimeoutMs: 200,
        hooks: {
          beforeTool: [
            async ({ arguments: { at } }) => {
              if (at === 'b') return { veto: 'not b' };
              if (at === 'c') return new Promise(() => {});
              // Neither goes on before the other is here.
              if (++waiting === 2) both.open();
              await both.pass();
              return undefined;
            },
          ],
        },
      },
    );
    const { steps, runId } = await detent.run('go').result;
    expect(ran.sort()).toEqual(['a', 'd']);
    expect(steps[0]?.toolCalls.map(({ code }) => code)).toEqual([null, 'HOOK_VETO', 'HOOK_FAILED', null]);
    const events = await detent.runs.events(runId);
    const facts = events.filter(({ event }) => event.type.startsWith('tool.'));
    expect(facts).toHaveLength(4);
    for (const { event } of facts) expect(event.hooks).toHaveLength(1);
  });
});

describe('a hook at afterTool', () => {
  it('that goes wrong withholds the result, and says that the call was made', async () => {
    const { ran, view } = await runWith({
      afterTool: [
        () => {
          throw new Error('no disk');
        },
      ],
    });
    expect(ran).toEqual([1]);
    expect(view.steps[0]?.toolCalls[0]?.result).toBe(
      'The call was made, but its result is withheld: the hook "afterTool 1" failed: it threw: no disk',
    );
  });

  it('is not called for a call that was not made', async () => {
    const seen: string[] = [];
    await runWith({ beforeTool: [() => ({ veto: 'no' })], afterTool: [({ text }) => void seen.push(text)] });
    expect(seen).toEqual([]);
  });

  it('sees how a call failed', async () => {
    const seen: unknown[] = [];
    const broken = tool('set', {
      run: () => {
        throw new Error('stuck');
      },
    });
    const { detent } = await scripted(calls(1), {
      tools: { define: [broken] },
      hooks: {
        afterTool: [
          ({ callId, tool: name, text, isError, code }) =>
            void seen.push({ callId, name, text, isError, code }),
        ],
      },
    });
    await detent.run('go').result;
    expect(seen).toEqual([{ callId: 'c2', name: 'set', text: 'stuck', isError: true, code: 'TOOL_FAILED' }]);
  });

  it('lets the same refused call come to an end as any failing one does', async () => {
    const script = Array.from({ length: 5 }, () => ({ toolCalls: [{ name: 'set', arguments: { n: 1 } }] }));
    const { view } = await runWith({ beforeTool: [() => ({ veto: 'no' })] }, false, script);
    expect(view.outcome).toBe('loop_detected');
  });
});
