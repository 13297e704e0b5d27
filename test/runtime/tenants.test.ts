import { describe, expect, it } from 'vitest';
import { scripted, tool } from '../support/detent.ts';

/** A run of tenant 2 that waits for a decision, in a session of a name that tenant 1 uses too. */
async function foreign() {
  const made = await scripted([{ text: 'mine' }, { toolCalls: [{ name: 'write' }] }, { text: 'theirs' }], {
    tools: { define: [tool('write', { sideEffect: 'unsafe' })] },
  });
  await made.detent.tenants.create({ name: 'other' });
  const mine = made.detent.run('one', { sessionId: 's' });
  await mine.result;
  const theirs = made.detent.run('two', { sessionId: 's', principal: { tenantId: 2, userId: 'u' } });
  await theirs.result;
  return { ...made, mine, theirs };
}

describe('a run of another tenant', () => {
  it('is in no list', async () => {
    const { detent, mine, theirs } = await foreign();
    expect((await detent.runs.list()).map(({ runId }) => runId)).toEqual([mine.runId]);
    expect((await detent.runs.list({ sessionId: 's' })).map(({ runId }) => runId)).toEqual([mine.runId]);
    expect((await detent.runs.list({ tenantId: 2 })).map(({ runId }) => runId)).toEqual([theirs.runId]);
    expect((await detent.sessions.list()).map(({ runs }) => runs)).toEqual([1]);
    expect((await detent.sessions.list({ tenantId: 2 })).map(({ runs }) => runs)).toEqual([1]);
  });

  it('does not exist, whatever is asked of it', async () => {
    const { detent, theirs } = await foreign();
    const id = theirs.runId;
    const asked = [
      detent.runs.show(id),
      detent.runs.allowed(id),
      detent.runs.confirm(id, 'c2', { verdict: 'approve' }),
      detent.runs.confirm(id, 'c2', { verdict: 'modify', arguments: {} }),
      detent.runs.reconcile(id, 'c2', { verdict: 'ran' }),
      detent.runs.cancel(id),
      detent.runs.steer(id, 'hello'),
      detent.runs.attach(id).started,
      detent.runs.attach(id).result,
      detent.runs.resume({ runId: id }),
      (async () => {
        for await (const _ of detent.runs.attach(id).events) break;
      })(),
    ];
    for (const one of await Promise.allSettled(asked))
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'NOT_FOUND' } });
    expect((await detent.runs.show(id, 2)).status).toBe('waiting');
  });

  it('is not named when everything is resumed', async () => {
    const { detent, theirs } = await foreign();
    expect(await detent.runs.resume()).toEqual([]);
    expect(await detent.runs.resume({ sessionId: 's' })).toEqual([]);
    expect(await detent.runs.resume(undefined, 2)).toEqual([theirs.runId]);
  });

  it('sees nothing of this one’s conversation, though their sessions have one name', async () => {
    const { model } = await foreign();
    expect(model.requests[1]?.messages.map(({ text }) => text)).not.toContain('one');
  });

  it('does not keep this one’s lane', async () => {
    const { detent, theirs } = await foreign();
    const run = detent.run('three', { sessionId: 's' });
    expect((await run.result).status).toBe('done');
    expect((await detent.runs.show(theirs.runId, 2)).status).toBe('waiting');
  });

  it('can be moved by its own tenant, through its handle and by its id', async () => {
    const { detent, theirs } = await foreign();
    expect(await detent.runs.allowed(theirs.runId, 2)).toContainEqual({
      type: 'confirm.decide',
      callId: 'c2',
      verdict: 'approve',
    });
    await theirs.confirm('c2', { verdict: 'approve' });
    expect((await detent.runs.attach(theirs.runId, 2).result).text).toBe('theirs');
  });
});

describe('a tool', () => {
  it('is told whom it works for by the host, not by the model', async () => {
    const seen: unknown[] = [];
    const whoami = tool('whoami', { run: (_, { principal }) => void seen.push(principal) });
    const { detent } = await scripted(
      [{ toolCalls: [{ name: 'whoami', arguments: { tenantId: 9, userId: 'root' } }] }, { text: 'ok' }],
      {
        tools: { define: [whoami] },
      },
    );
    await detent.tenants.create({ name: 'other' });
    await detent.run('who am I?', { principal: { tenantId: 2, userId: 'u', claims: { role: 'guest' } } })
      .result;
    expect(seen).toEqual([{ tenantId: 2, userId: 'u', claims: { role: 'guest' } }]);
  });
});
