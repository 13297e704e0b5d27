import { describe, expect, it } from 'vitest';
import { talkative } from '../agent/compaction/support.ts';
import { temporaryWorkspace, tool, withModel } from '../support/detent.ts';

/** A session of some turns, far from filling its window. */
async function session(turns: number) {
  const workspace = await temporaryWorkspace();
  const model = talkative({
    answer: (n, { messages }) =>
      messages.at(-1)?.text === 'ask'
        ? { toolCalls: [{ name: 'ask' }] }
        : { text: `answer ${n} ${'and so on '.repeat(30)}` },
  });
  const ask = tool('ask', { confirm: true, sideEffect: 'unsafe' });
  const detent = withModel(model, { workspace, tools: { define: [ask] } });
  for (let n = 1; n <= turns; n++) await detent.run(`question ${n}`, { sessionId: 's' }).result;
  return { detent };
}

describe('a session that is compacted by hand', () => {
  it('has nothing more to compact after a while', async () => {
    const { detent } = await session(6);
    const all = [];
    for (let n = 0; n < 6; n++) all.push((await detent.sessions.compact('s')).nothing);
    expect(all.at(-1)).toBe(true);
    expect(all.filter((nothing) => !nothing).length).toBeLessThan(5);
  });

  it('waits its turn behind a run that waits for a person', async () => {
    const { detent } = await session(6);
    const parked = detent.run('ask', { sessionId: 's' });
    expect((await parked.result).status).toBe('waiting');
    const queued = await detent.sessions.compact('s');
    expect(queued).toMatchObject({ status: 'queued', outcome: null, flushed: null, before: null });
    await parked.cancel();
    expect((await detent.runs.attach(queued.runId).result).outcome).toBe('completed');
  });

  it('ends as runs do when the budget of its agent is used up', async () => {
    const asked: string[] = [];
    const model = talkative({
      answer: (n) => ({ text: `answer ${n} ${'and so on '.repeat(30)}` }),
      summary: () => {
        asked.push('summary');
        return { text: 'SUMMARY' };
      },
    });
    const detent = withModel(model, {
      workspace: await temporaryWorkspace(),
      budgets: { team: { maxTokens: 10 } },
      agents: { default: { budget: 'team' }, free: {} },
    });
    for (let n = 1; n <= 6; n++) await detent.run(`question ${n}`, { sessionId: 's', agent: 'free' }).result;
    await detent.run('spend it').result;
    const refused = await detent.run('spend more').result;
    const compacted = await detent.sessions.compact('s');
    expect(compacted).toMatchObject({ status: 'failed', outcome: 'budget_exhausted', error: refused.error });
    expect(asked).toEqual([]);
    const { runId } = compacted;
    expect(await detent.runs.why(runId)).toMatchObject({ cause: 'shared_budget' });
    const { transitions } = await detent.runs.trace(runId);
    expect(transitions.filter(({ event }) => event.type === 'compact.failed')).toHaveLength(1);
  });

  it('must exist', async () => {
    const { detent } = await session(0);
    await expect(detent.sessions.compact('other')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is the tenant’s own', async () => {
    const { detent } = await session(6);
    await expect(detent.sessions.compact('s', { tenantId: 2 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
