import { describe, expect, it } from 'vitest';
import { dayFiles, isFlush, isPrompt, isSummary, talkative } from '../agent/compaction/support.ts';
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
  for (let n = 1; n <= turns; n++) await detent.run(`question ${n}`, { session: 's' }).result;
  return { detent, model, workspace };
}

describe('a session that is compacted by hand', () => {
  it('is flushed and summarised by a run of its own, and goes on from there', async () => {
    const { detent, model, workspace } = await session(6);
    const done = await detent.sessions.compact('s');
    expect(done).toMatchObject({
      sessionId: 's',
      status: 'done',
      outcome: 'completed',
      nothing: false,
      flushed: { how: 'model', lines: 1 },
    });
    expect(done.after).toBeLessThan(done.before ?? 0);
    expect(await dayFiles(workspace)).toContain(`FACT 1 (${done.runId})`);
    expect(model.requests.filter(isPrompt)).toHaveLength(6);
    const ended = (await detent.runs.timeline(done.runId)).find(({ event }) => event === 'compaction.end');
    expect(ended?.payload).toMatchObject({ error: null, summary: expect.stringContaining('SUMMARY 1') });

    await detent.run('question 7', { session: 's' }).result;
    const texts = model.requests.at(-1)?.messages.map(({ text }) => text) ?? [];
    expect(texts[1]).toContain('SUMMARY 1');
    expect(texts.some((text) => text.startsWith('answer 1'))).toBe(false);
    expect(texts.slice(-3)).toEqual(['question 6', expect.stringMatching(/^answer 6/), 'question 7']);
  });

  it('says so when there is nothing to compact, and asks no model', async () => {
    const { detent, model } = await session(1);
    const done = await detent.sessions.compact('s');
    expect(done).toMatchObject({
      outcome: 'completed',
      nothing: true,
      flushed: { how: 'nothing', lines: 0 },
    });
    expect(done.after).toBe(done.before);
    expect(model.requests.filter((request) => isFlush(request) || isSummary(request))).toEqual([]);
  });

  it('has nothing more to compact after a while', async () => {
    const { detent } = await session(6);
    const all = [];
    for (let n = 0; n < 6; n++) all.push((await detent.sessions.compact('s')).nothing);
    expect(all.at(-1)).toBe(true);
    expect(all.filter((nothing) => !nothing).length).toBeLessThan(5);
  });

  it('waits its turn behind a run that waits for a person', async () => {
    const { detent } = await session(6);
    const parked = detent.run('ask', { session: 's' });
    expect((await parked.result).status).toBe('waiting');
    const queued = await detent.sessions.compact('s');
    expect(queued).toMatchObject({ status: 'queued', outcome: null, flushed: null, before: null });
    await parked.cancel();
    expect((await detent.runs.attach(queued.runId).result).outcome).toBe('completed');
  });

  it('fails when its model cannot write a summary, and leaves the session as it was', async () => {
    const model = talkative({ summary: () => ({ error: { message: 'no summary today' } }) });
    const detent = withModel(model, { workspace: await temporaryWorkspace() });
    for (let n = 1; n <= 6; n++) await detent.run(`question ${n}`, { session: 's' }).result;
    const done = await detent.sessions.compact('s');
    expect(done).toMatchObject({
      status: 'failed',
      error: { code: 'COMPACT_FAILED', message: 'no summary today' },
    });
    expect((await detent.sessions.show('s')).conversation.every(({ inPrompt }) => inPrompt)).toBe(true);
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
