import { describe, expect, it } from 'vitest';
import type { ConfirmDecision, DetentOptions } from '../../src/index.ts';
import type { ScriptLine } from '../../src/testing/index.ts';
import { scripted, tool } from '../support/detent.ts';

/** A session whose every run asks for one call of `act`, which asks a person. */
async function acting(calls: unknown[], options: DetentOptions = {}) {
  const left = [...calls];
  const script = Array.from(
    { length: 2 * calls.length },
    (): ScriptLine =>
      ({ messages }) =>
        messages.at(-1)?.role === 'tool'
          ? { text: 'acted' }
          : { toolCalls: [{ name: 'act', arguments: left.shift() }] },
  );
  const done: unknown[] = [];
  const act = tool('act', { sideEffect: 'unsafe', run: (args) => void done.push(args) });
  const { detent } = await scripted(script, { ...options, tools: { define: [act] } });
  const say = (session = 's', over = {}) => detent.run('act', { sessionId: session, ...over });
  return { detent, say, done };
}

const grant = (pattern?: unknown): ConfirmDecision => ({
  verdict: 'approve',
  grant: { tool: 'act', ...(pattern !== undefined && { pattern }) },
});

describe('an approval for the session', () => {
  it('approves the same call from then on, and no other', async () => {
    const same = { command: 'ls' };
    const { detent, say, done } = await acting([same, same, { command: 'rm' }]);
    const first = say();
    await first.result;
    expect(await first.confirm('c2', { ...grant(), by: 'ann' } as ConfirmDecision)).toEqual({
      applied: true,
      verdict: 'approve',
      stands: true,
    });
    expect((await first.result).status).toBe('done');
    const second = await say().result;
    expect(second.status).toBe('done');
    expect(second.steps[0]?.toolCalls[0]).toMatchObject({
      decision: null,
      why: 'session grant 1, over tool default: act asks',
    });
    const third = await say().result;
    expect(third).toMatchObject({ status: 'waiting', pending: [{ why: 'tool default: act asks' }] });
    expect(done).toEqual([same, same]);
    expect(await detent.sessions.grants('s')).toEqual([
      {
        n: 1,
        tool: 'act',
        pattern: { command: { is: 'ls' } },
        by: 'ann',
        at: expect.any(Number),
        runId: first.runId,
        callId: 'c2',
      },
    ]);
  });

  it('is of its session alone, forks included', async () => {
    const { detent, say } = await acting([{}, {}, {}]);
    const first = say();
    await first.result;
    await first.confirm('c2', grant());
    const { runId } = await first.result;
    const seq = (await detent.runs.events(runId)).at(-1)?.seq ?? 0;
    await detent.sessions.fork('s', { runId, seq, sessionId: 'fork' });
    expect(await detent.sessions.grants('fork')).toEqual([]);
    expect((await say('fork').result).status).toBe('waiting');
    expect((await say('other').result).status).toBe('waiting');
  });

  it('is taken back by its number, and goes with its session', async () => {
    const { detent, say } = await acting([{}, {}, {}]);
    const first = say();
    await first.result;
    await first.confirm('c2', grant());
    await first.result;
    await detent.sessions.revokeGrant('s', 1);
    await expect(detent.sessions.revokeGrant('s', 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(detent.sessions.revokeGrant('none', 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(detent.sessions.grants('s', 2)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await detent.sessions.grants('s')).toEqual([]);
    const second = say();
    expect((await second.result).status).toBe('waiting');
    await second.confirm('c2', grant());
    await second.result;
    expect((await detent.sessions.grants('s')).map(({ n }) => n)).toEqual([2]);
    await detent.sessions.delete('s');
    expect((await say().result).status).toBe('waiting');
  });

  it('is written with the decision or not at all', async () => {
    const { detent, say } = await acting([{ a: 1 }]);
    const run = say();
    const [pending] = (await run.result).pending;
    const refused = async (decision: ConfirmDecision, code: string) => {
      await expect(run.confirm('c2', decision)).rejects.toMatchObject({ code });
      expect(await detent.sessions.grants('s')).toEqual([]);
      expect((await detent.runs.show(run.runId)).status).toBe('waiting');
    };
    await refused({ ...grant(), hash: 'another' } as ConfirmDecision, 'HASH_MISMATCH');
    await refused(grant({ a: 2 }), 'INVALID_PATTERN');
    await refused(grant({}), 'INVALID_PATTERN');
    await refused(grant('no json'), 'INVALID_PATTERN');
    await refused({ verdict: 'approve', grant: { tool: 'other' } }, 'WRONG_TOOL');
    await run.confirm('c2', { ...grant(), hash: pending?.argumentsHash } as ConfirmDecision);
    expect(await detent.sessions.grants('s')).toHaveLength(1);
    // Too late: the first answer counts, and it alone.
    expect(await run.confirm('c2', grant())).toMatchObject({ applied: false });
    expect(await detent.sessions.grants('s')).toHaveLength(1);
  });

  it('comes from approvals alone', async () => {
    const { detent, say } = await acting([{}]);
    const run = say();
    await run.result;
    await run.confirm('c2', { verdict: 'reject', grant: {} } as ConfirmDecision);
    expect(await detent.sessions.grants('s')).toEqual([]);
  });

  it('stands below a run option', async () => {
    const { say } = await acting([{}, {}]);
    const first = say();
    await first.result;
    await first.confirm('c2', grant());
    await first.result;
    expect((await say('s', { approve: 'none' }).result).status).toBe('done');
  });

  it('keeps no secret: a call that holds one is asked about again', async () => {
    const { detent, say } = await acting([{ key: 'hunter2hunter2' }, { key: 'hunter2hunter2' }], {
      env: { SHOP_PIN: 'hunter2hunter2' },
      secrets: ['SHOP_PIN'],
    });
    const first = say();
    await first.result;
    await first.confirm('c2', grant());
    await first.result;
    expect(JSON.stringify(await detent.sessions.grants('s'))).not.toContain('hunter2');
    expect((await say().result).status).toBe('waiting');
  });
});
