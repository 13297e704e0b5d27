import { describe, expect, it } from 'vitest';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { requestDigest } from '../../src/runtime/requests/request-digest.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { scripted, temporaryWorkspace } from '../support/detent.ts';

const conflict = { code: 'IDEMPOTENCY_CONFLICT' };

describe('a request with a key', () => {
  it('makes one run, however many come at once, in two processes on one database', async () => {
    const workspace = await temporaryWorkspace();
    const open = () =>
      createDetent({
        workspace,
        env: {},
        model: 'test/m',
        models: { test: scriptedModel([{ text: 'one' }]) },
      });
    const [a, b] = [open(), open()];
    const ids = await Promise.all(
      Array.from({ length: 400 }, (_, i) => (i % 2 ? a : b).run('buy', { idempotencyKey: 'k' }).started),
    );
    expect(new Set(ids).size).toBe(1);
    expect(await a.runs.list()).toHaveLength(1);
    expect((await b.runs.attach(ids[0] ?? '').result).text).toBe('one');
    await Promise.all([a.close(), b.close()]);
  });

  it.each([
    ['another prompt', 'sell', {}],
    ['another session', 'buy', { sessionId: 's2' }],
    ['another option', 'buy', { approve: 'all' as const }],
    ['other bytes', 'buy', { attachments: [{ data: new Uint8Array([65, 66]), name: 'b.txt' }] }],
  ])('is refused with %s', async (_what, prompt, over) => {
    const { detent } = await scripted([{ text: 'one' }, { text: 'two' }]);
    const attachments = [{ data: new Uint8Array([65]), name: 'b.txt' }];
    const request = { idempotencyKey: 'k', ...('attachments' in over ? { attachments } : {}) };
    await detent.run('buy', request).result;
    await expect(detent.run(prompt, { ...request, ...over }).result).rejects.toMatchObject(conflict);
    expect(await detent.runs.list()).toHaveLength(1);
  });

  it('is the same in whatever order its options stand', async () => {
    const { detent } = await scripted([{ text: 'one' }]);
    const first = await detent.run('buy', {
      idempotencyKey: 'k',
      sessionId: 's',
      limits: { maxSteps: 3, maxTokens: 9_000 },
    }).started;
    const second = detent.run('buy', {
      limits: { maxTokens: 9_000, maxSteps: 3 },
      sessionId: 's',
      idempotencyKey: 'k',
    });
    expect(await second.started).toBe(first);
  });

  it('is repeated by an earlier version’s request too, whose session had another name', () => {
    const kept = '5de71023e4d9badff87383e269dbf436b8a8aac4b08e18104889f9914fc91969';
    expect(requestDigest('buy', { idempotencyKey: 'k', sessionId: 's' })).toBe(kept);
  });

  it('of another user or tenant is another request', async () => {
    const { detent } = await scripted([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    await detent.tenants.create({ name: 'other' });
    const principals = [{}, { userId: 'ada' }, { tenantId: 2 }];
    const ids = await Promise.all(
      principals.map((principal) => detent.run('buy', { idempotencyKey: 'k', principal }).started),
    );
    expect(new Set(ids).size).toBe(3);
  });

  it.each([
    ['is empty', { idempotencyKey: '' }],
    ['is too long', { idempotencyKey: 'x'.repeat(201) }],
    ['is no text', { idempotencyKey: 7 as never }],
    ['is of a message to a run', { idempotencyKey: 'k', mode: 'steer' as const }],
  ])('is refused when it %s', async (_what, request) => {
    const { detent } = await scripted([]);
    await expect(detent.run('buy', request).result).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('does not pass it on to tasks and forks', async () => {
    const task = { name: 'task', arguments: { prompt: 'look', description: 'look' } };
    const { detent } = await scripted([
      { toolCalls: [task, task] },
      { text: 'seen' },
      { text: 'seen' },
      { text: 'done' },
      { text: 'forked' },
    ]);
    const { runId, status } = await detent.run('do it', { idempotencyKey: 'k' }).result;
    expect(status).toBe('done');
    const fork = await detent.runs.fork(runId, { at: 1 });
    await detent.runs.resume({ runId: fork.runId });
    expect((await detent.runs.attach(fork.runId).result).status).toBe('done');
  });
});
