import { describe, expect, it } from 'vitest';
import { scripted } from '../../support/detent.ts';

describe('a session that is made empty', () => {
  it('is listed and shown, with nothing in it', async () => {
    const { detent } = await scripted([]);
    const { sessionId } = await detent.sessions.create();
    expect(sessionId).toMatch(/^ses_/);
    expect(await detent.sessions.list()).toMatchObject([
      { sessionId, runs: 0, status: null, prompt: '', costUsd: 0, messages: 0 },
    ]);
    expect(await detent.sessions.list({ status: ['done'] })).toEqual([]);
    expect(await detent.sessions.show(sessionId)).toMatchObject({ sessionId, history: [], conversation: [] });
    expect(await detent.sessions.ownerOf(sessionId)).toEqual({ userId: null });
  });

  it('takes runs as any other', async () => {
    const { detent, model } = await scripted([{ text: 'one' }, { text: 'two' }]);
    const { sessionId: session } = await detent.sessions.create({ sessionId: 'chat' });
    expect(session).toBe('chat');
    await detent.run('first', { sessionId: session }).result;
    await detent.run('second', { sessionId: session }).result;
    expect(model.requests[1]?.messages.map(({ text }) => text).slice(1)).toEqual(['first', 'one', 'second']);
    expect(await detent.sessions.list()).toMatchObject([{ sessionId: 'chat', runs: 2, status: 'done' }]);
  });

  it('may be cleared, exported, and deleted', async () => {
    const { detent } = await scripted([]);
    await detent.sessions.create({ sessionId: 'chat' });
    expect(await detent.sessions.clear('chat')).toEqual({ cleared: 0 });
    const lines = await Array.fromAsync(detent.sessions.export('chat'));
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(['system.init']);
    expect(await detent.sessions.delete('chat')).toMatchObject({ runs: 0, messages: 0 });
    expect(await detent.sessions.list()).toEqual([]);
  });

  it('belongs to its user alone', async () => {
    const { detent } = await scripted([{ text: 'one' }]);
    const { sessionId: session } = await detent.sessions.create({ userId: 'ada' });
    expect(await detent.sessions.ownerOf(session)).toEqual({ userId: 'ada' });
    expect(await detent.sessions.list({ userId: 'bob' })).toEqual([]);
    await expect(
      detent.run('go', { sessionId: session, principal: { userId: 'bob' } }).started,
    ).rejects.toThrow('another user');
    await detent.run('go', { sessionId: session, principal: { userId: 'ada' } }).result;
  });

  it('is one of its tenant: another one may have the same key', async () => {
    const { detent } = await scripted([]);
    await detent.sessions.create({ sessionId: 'chat' });
    const { id: tenantId } = await detent.tenants.create({ name: 'acme' });
    await detent.sessions.create({ sessionId: 'chat', tenantId });
    expect(await detent.sessions.list({ tenantId })).toHaveLength(1);
  });

  it('is made once, however many ask for it at the same time', async () => {
    const { detent } = await scripted([]);
    const made = await Promise.allSettled(
      Array.from({ length: 20 }, () => detent.sessions.create({ sessionId: 'chat' })),
    );
    const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    expect(refused).toEqual(Array(19).fill('SESSION_EXISTS'));
  });

  it.each([
    [{ sessionId: '' }, 'INVALID_SESSION'],
    [{ sessionId: 'a\nb' }, 'INVALID_SESSION'],
    [{ sessionId: 7 as never }, 'INVALID_SESSION'],
    [{ sessionId: 'x'.repeat(201) }, 'INVALID_SESSION'],
    [{ userId: 7 as never }, 'INVALID_ARGUMENTS'],
    [{ key: 'chat' } as object, 'INVALID_ARGUMENTS'],
  ])('is refused with %j', async (request, code) => {
    const { detent } = await scripted([]);
    await expect(detent.sessions.create(request)).rejects.toMatchObject({ code });
    expect(await detent.sessions.list()).toEqual([]);
  });

  it('is found by no filter that is not known', async () => {
    const { detent } = await scripted([]);
    const filter = { session: 'chat' } as object;
    await expect(detent.sessions.list(filter)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });
});
