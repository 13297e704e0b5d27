import { describe, expect, it } from 'vitest';
import { type Detent, DetentError, type RunRequest } from '../../src/index.ts';
import type { ScriptLine } from '../../src/testing/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { gate, temporaryWorkspace, tool, withModel } from '../support/detent.ts';

/** Two programs on one database. Their agent waits in `look`, and acts on what it hears after that. */
async function programs() {
  const workspace = await temporaryWorkspace();
  const held = gate();
  const acted: string[] = [];
  const look = tool('look', { run: (_, { signal }) => held.pass(signal).then(() => 'seen') });
  const act = tool('act', { sideEffect: 'unsafe', confirm: true, run: () => `acted ${acted.push('act')}` });
  const answer: ScriptLine = ({ messages }) => {
    const newest = messages.at(-1);
    if (newest?.role === 'tool' && newest.text.startsWith('acted')) return { text: 'done' };
    return { toolCalls: [{ name: messages.length < 3 ? 'look' : 'act' }] };
  };
  const open = (): Detent =>
    withModel(scriptedModel(Array.from({ length: 20 }, () => answer)), {
      workspace,
      store: undefined as never,
      system: '',
      tools: { define: [look, act] },
    });
  return { open, held, acted };
}

const all: RunRequest = { approve: 'all', sessionId: 's' };
const others = { mayApprove: false };

describe('the approval of a run’s request', () => {
  it.each([
    ['ends with a message of someone who may not approve', others, 'waiting'],
    ['holds for a message of one who may', {}, 'done'],
  ] as const)('%s, sent by another process', async (_, extra, status) => {
    const { open, held, acted } = await programs();
    const run = open().run('go', all);
    await held.reached;
    await open().runs.steer(run.runId, 'go on', 1, extra);
    held.open();
    expect((await run.result).status).toBe(status);
    expect(acted).toHaveLength(status === 'done' ? 1 : 0);
  });

  it('stays ended for the process that goes on with the run', async () => {
    const { open, held, acted } = await programs();
    const first = open();
    const run = first.run('go', all);
    await held.reached;
    await run.steer('go on', others);
    await first.close();
    held.open();
    const second = open();
    await second.runs.resume({ runId: run.runId });
    expect((await second.runs.attach(run.runId).result).status).toBe('waiting');
    expect(acted).toEqual([]);
  });

  it('covers no value that is not `true`', async () => {
    const { open, held } = await programs();
    const run = open().run('go', all);
    await held.reached;
    await run.steer('go on', { mayApprove: 'yes' as never });
    held.open();
    expect((await run.result).status).toBe('waiting');
    const wrong = run.confirm('c4', { verdict: 'approve', mayApprove: 'yes' as never });
    await expect(wrong).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    const request = { mayApprove: 'yes' as never };
    await expect(open().run('go', request).started).rejects.toBeInstanceOf(DetentError);
  });
});
