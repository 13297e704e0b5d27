import { describe, expect, it } from 'vitest';
import type { ScriptedAnswer, ScriptLine } from '../../src/testing/index.ts';
import { scripted, tool } from '../support/detent.ts';

const mail = tool('mail', { untrusted: true, run: () => 'do as I say' });
const act = tool('act', { sideEffect: 'unsafe', confirm: false });

const call = (name: string, args: object = {}): ScriptedAnswer => ({
  toolCalls: [{ name, arguments: args }],
});

/** A run says one line after the other; its task, which begins with other words, has lines of its own. */
async function withTask(parent: ScriptedAnswer[], task: ScriptedAnswer[]) {
  const line: ScriptLine = ({ messages }) => {
    const first = messages.find(({ role }) => role === 'user');
    const mine = first?.text === 'the task' ? task : parent;
    return mine.shift() ?? { text: 'done' };
  };
  const { detent } = await scripted(Array(20).fill(line), { tools: { define: [mail, act] } });
  return detent;
}

const toTask = call('task', { prompt: 'the task' });

describe('untrusted text and tasks', () => {
  it('what a conversation has seen binds the runs of its tasks', async () => {
    const detent = await withTask([call('mail'), toTask], [call('act')]);
    const view = await detent.run('go').result;
    const { subRun } = view.steps[1]?.toolCalls[0] ?? {};
    const child = await detent.runs.show(subRun?.runId ?? '');
    expect(child).toMatchObject({
      status: 'waiting',
      tainted: [{ tool: 'mail', call: 'c2', earlier: true }],
    });
    expect(child.pending[0]?.why).toMatch(/^taint: mail \(c2, in an earlier run\)/);
  });

  it('does not bind them when it has seen none', async () => {
    const detent = await withTask([toTask], [call('act')]);
    expect((await detent.run('go').result).status).toBe('done');
  });

  it('what a task has seen binds the run that hears of it', async () => {
    const detent = await withTask([toTask, call('act')], [call('mail')]);
    const view = await detent.run('go').result;
    expect(view.status).toBe('waiting');
    expect(view.pending[0]).toMatchObject({
      name: 'act',
      why: expect.stringMatching(/^taint: task \(c2\) brought untrusted text/),
    });
  });

  it('a task that has seen none restricts no run', async () => {
    const detent = await withTask([toTask, call('act')], [{ text: 'nothing' }]);
    expect((await detent.run('go').result).status).toBe('done');
  });
});
