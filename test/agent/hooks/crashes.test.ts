import { describe, expect, it } from 'vitest';
import type { DetentOptions } from '../../../src/index.ts';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import { type ScriptLine, scriptedModel } from '../../../src/testing/index.ts';
import { gate, scripted, temporaryWorkspace, tool, withModel } from '../../support/detent.ts';
import { didOf } from './records.ts';

const script: ScriptLine[] = [{ toolCalls: [{ name: 'look', arguments: { n: 1 } }] }, { text: 'done' }];

/** Two lives of one program on one store: the second takes over what the first has left in the middle. */
async function twoLives(first: DetentOptions, second: DetentOptions) {
  const store = openInMemory();
  const workspace = await temporaryWorkspace();
  const model = scriptedModel(script);
  const life = (options: DetentOptions) =>
    withModel(model, { store, workspace, onError: () => {}, ...options });
  return { dying: life(first), next: () => life(second), model };
}

describe('a process that dies between a hook and its commit', () => {
  it('leaves nothing of it: the hook is called again, and is in the log once', async () => {
    const stuck = gate();
    const calls: string[] = [];
    const hook = (life: string, wait: boolean) => async () => {
      calls.push(life);
      if (wait) await stuck.pass();
      return { veto: `said ${life}` };
    };
    const { dying, next } = await twoLives(
      { tools: { define: [tool('look')] }, hooks: { beforeTool: [hook('first', true)] } },
      { tools: { define: [tool('look')] }, hooks: { beforeTool: [hook('second', false)] } },
    );
    const { started } = dying.run('go');
    await stuck.reached;
    const detent = next();
    await detent.runs.resume();
    const view = await detent.runs.attach(await started).result;
    stuck.open();
    expect(calls).toEqual(['first', 'second']);
    expect(view.steps[0]?.toolCalls[0]?.result).toContain('said second');
    expect(await didOf(detent, view.runId)).toEqual(['beforeTool beforeTool 1 veto']);
    expect(await detent.runs.replay(view.runId)).toMatchObject({ diverged: null });
  });

  it('after a rewrite leaves the new arguments: the repeat uses them, and asks no hook', async () => {
    const stuck = gate();
    const ran: unknown[] = [];
    let calls = 0;
    const look = (wait: boolean) =>
      tool('look', {
        run: async (args, { signal }) => {
          ran.push(args);
          if (wait) await stuck.pass(signal);
          return 'looked';
        },
      });
    const hooks = {
      beforeTool: [
        function numbers() {
          return { rewrite: { n: ++calls * 100 } };
        },
      ],
    };
    const { dying, next } = await twoLives(
      { hooks, tools: { define: [look(true)] } },
      { hooks, tools: { define: [look(false)] } },
    );
    const { started } = dying.run('go');
    await stuck.reached;
    const detent = next();
    await detent.runs.resume();
    const view = await detent.runs.attach(await started).result;
    expect(ran).toEqual([{ n: 100 }, { n: 100 }]);
    expect(calls).toBe(1);
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({ arguments: { n: 100 }, changedBy: 'numbers' });
    expect(await didOf(detent, view.runId)).toEqual(['beforeTool numbers rewrite']);
  });
});

describe('a hook that a cancelled run leaves behind', () => {
  it('is told by its signal, and its answer changes nothing', async () => {
    const stuck = gate();
    const aborted: boolean[] = [];
    const { detent } = await scripted(script, {
      tools: { define: [tool('look')] },
      hooks: {
        beforeTool: [
          async (_, signal) => {
            await stuck.pass(signal);
            aborted.push(signal.aborted);
            return { veto: 'too late' };
          },
        ],
      },
    });
    const run = detent.run('go');
    await stuck.reached;
    await run.cancel();
    const { status, runId } = await run.result;
    expect([status, aborted]).toEqual(['cancelled', [true]]);
    expect(await didOf(detent, runId)).toEqual([]);
  });
});

describe('hooks and forks', () => {
  async function original() {
    const ran: unknown[] = [];
    let starts = 0;
    let calls = 0;
    const line = ({ messages }: { messages: readonly { role: string }[] }) =>
      messages.at(-1)?.role === 'tool'
        ? { text: 'done' }
        : { toolCalls: [{ name: 'look', arguments: { n: 1 } }] };
    const { detent, model } = await scripted(
      Array.from({ length: 10 }, () => line),
      {
        tools: { define: [tool('look', { run: ({ n }) => `saw ${ran.push(n) && n}` })] },
        hooks: {
          runStart: [() => ({ addContext: `start ${++starts}` })],
          beforeTool: [({ arguments: { n } }) => ({ rewrite: { n: Number(n) + ++calls * 100 } })],
        },
      },
    );
    const { runId } = await detent.run('go').result;
    const fork = async (at: number) => {
      const { runId: forked } = await detent.runs.fork(runId, { at });
      await detent.runs.resume({ runId: forked });
      return detent.runs.attach(forked).result;
    };
    return { detent, model, ran, fork, runId };
  }

  it('call a hook again for what the fork does again, with the arguments that the model wrote', async () => {
    const { ran, fork, detent } = await original();
    const view = await fork(2);
    expect(ran).toEqual([101, 201]);
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({ argumentsRaw: '{"n":1}', arguments: { n: 201 } });
    expect(await detent.runs.replay(view.runId)).toMatchObject({ diverged: null });
  });

  it('call none for what was settled by then, and keep what it said', async () => {
    const { ran, fork, model, detent } = await original();
    const view = await fork(3);
    expect(ran).toEqual([101]);
    expect(view.steps[0]?.toolCalls[0]).toMatchObject({ arguments: { n: 101 }, changedBy: 'beforeTool 1' });
    expect(model.requests.at(-1)?.messages.filter(({ text }) => text.includes('start'))).toHaveLength(1);
    expect(JSON.stringify(model.requests.at(-1))).toContain('start 1');
    expect(await didOf(detent, view.runId)).toEqual([
      'runStart runStart 1 addContext',
      'beforeTool beforeTool 1 rewrite',
    ]);
  });

  it('begin the run anew when the fork does', async () => {
    const { fork, model } = await original();
    await fork(1);
    expect(JSON.stringify(model.requests.at(-1))).toContain('start 2');
  });
});
