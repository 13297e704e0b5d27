import { describe, expect, it } from 'vitest';
import type { Detent, RunView } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { itDeep } from '../support/deep.ts';
import { temporaryWorkspace, tool } from '../support/detent.ts';
import { driver, until } from './drivers-support.ts';

const asking = { toolCalls: [{ name: 'send', arguments: {} }] };
const done = { text: 'done' };

/** Several drivers of one workspace, each with a model that asks first; and what they reported. */
async function drivers(count: number) {
  const workspace = await temporaryWorkspace();
  const errors: unknown[] = [];
  const tools = { define: [tool('send', { sideEffect: 'unsafe', confirm: true, run: () => 'sent' })] };
  const answer = ({ messages }: { messages: readonly { role: string }[] }) =>
    messages.at(-1)?.role === 'user' ? asking : done;
  const open = () =>
    driver(workspace, scriptedModel(Array.from({ length: 30 }, () => answer)), {
      tools,
      onError: (error) => errors.push(error),
    });
  return { all: Array.from({ length: count }, open) as [Detent, ...Detent[]], errors };
}

/** Asks a person, who has so long to decide. */
async function park(detent: Detent, session: string, confirmExpiryMs: number): Promise<string> {
  const run = detent.run('go', { sessionId: session, limits: { confirmExpiryMs } });
  expect((await run.result).status).toBe('waiting');
  return run.runId;
}

const ended = (detent: Detent, runId: string): Promise<RunView> =>
  until(
    () => detent.runs.show(runId),
    ({ status }) => status === 'done',
  );

const expiries = async (detent: Detent, runId: string) =>
  (await detent.runs.events(runId)).filter(({ event }) => event.type === 'timer.confirm').length;

describe('the expiry of a question to a person', () => {
  it('passes once, also when several processes watch it', async () => {
    const { all, errors } = await drivers(4);
    const [a] = all;
    for (const one of all) await one.runs.resume();
    const runs = await Promise.all(Array.from({ length: 5 }, (_, i) => park(a, `s${i}`, 300)));
    for (const runId of runs) {
      await ended(a, runId);
      expect(await expiries(a, runId)).toBe(1);
    }
    expect(errors).toEqual([]);
  });

  itDeep('is watched by a process that drives the session from when the one ends that asked', async () => {
    const { all } = await drivers(2);
    const [chat, command] = all;
    await chat.run('go', { sessionId: 's', approve: 'all' }).result;
    const runId = await park(command as Detent, 's', 800);
    await (command as Detent).close();
    await ended(chat, runId);
    expect(await expiries(chat, runId)).toBe(1);
  });

  itDeep('passes late where no process drives the session: when the next one does', async () => {
    const { all } = await drivers(2);
    const [other, command] = all;
    await other.run('go', { sessionId: 'other', approve: 'all' }).result;
    const runId = await park(command as Detent, 's', 100);
    await (command as Detent).close();
    // The other process has looked for what it may do at least once.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(await expiries(other, runId)).toBe(0);
    await other.runs.resume({ runId });
    await ended(other, runId);
    expect(await expiries(other, runId)).toBe(1);
  });
});

it('a model is asked again by the process that drives the run, and by no other', async () => {
  const workspace = await temporaryWorkspace();
  const asked: string[] = [];
  const failing = { error: { message: 'busy', retryable: true } };
  const open = (name: string) => {
    const lines = [failing, failing, done].map((line) => () => {
      asked.push(name);
      return line;
    });
    return driver(workspace, scriptedModel(lines as never));
  };
  const [a, b] = [open('a'), open('b')];
  await b.runs.resume();
  expect(await a.run('go').result).toMatchObject({ status: 'done' });
  expect(asked).toEqual(['a', 'a', 'a']);
});
