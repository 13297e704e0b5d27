import { expect, it } from 'vitest';
import type { Detent, FeedEvent } from '../../../src/index.ts';
import { scripted, tool } from '../../support/detent.ts';
import { orderWorkflow } from '../../support/order-workflow.ts';

/** All of the feed behind a place. */
async function all(detent: Detent, place: { after?: number; userId?: string; tenantId?: number } = {}) {
  const events: FeedEvent[] = [];
  for (let after = place.after ?? 0; ; ) {
    const page = await detent.runs.feed({ ...place, after });
    events.push(...page.events);
    after = page.cursor;
    if (!page.more) return { events, cursor: page.cursor };
  }
}

it('has each transition of each run once, in order, and goes on behind any place', async () => {
  const { detent } = await scripted(
    [{ text: 'ok' }, { toolCalls: [{ name: 'buy', arguments: {} }] }, { text: 'ok' }],
    {
      tools: { define: [tool('buy', { sideEffect: 'unsafe' })] },
      workflows: [orderWorkflow],
    },
  );
  await detent.run('before anybody asked').result;
  expect(await detent.runs.feed({ after: 0 })).toEqual({ events: [], cursor: 0, more: false });
  const { runId } = await detent.run('go', { sessionId: 's' }).result;
  expect((await all(detent)).events.at(-1)).toMatchObject({
    ...{
      runId,
      sessionId: 's',
      seq: 2,
      type: 'model.done',
      state: 'awaitingConfirm',
      waits: true,
      ended: false,
    },
  });
  const now = await detent.runs.feed();
  expect(now).toMatchObject({ events: [], more: false });
  await detent.runs.confirm(runId, 'c2', { verdict: 'approve' });
  await detent.runs.attach(runId).result;
  const order = await detent.workflows.start('order', { order: 'o1' }).result;
  const later = await all(detent, { after: now.cursor });
  expect(later.events.filter((event) => event.runId === runId).map(({ type }) => type)).toEqual([
    'confirm.decide',
    'tool.done',
    'model.done',
  ]);
  expect(later.events.find((event) => event.runId === order.runId)).toMatchObject({ workflow: 'order' });
  expect(later.events.filter(({ ended }) => ended)).toMatchObject([{ runId, state: 'done' }]);
  const whole = await all(detent);
  expect(whole.events.map(({ cursor }) => cursor)).toEqual(whole.events.map((_, i) => i + 1));
  for (const { cursor } of whole.events)
    expect((await all(detent, { after: cursor })).events).toEqual(whole.events.slice(cursor));
  expect((await detent.runs.feed({ after: 1e9 })).cursor).toBe(whole.cursor);
});

it('has no copies of a fork, keeps its places when a session is deleted, and is of one tenant and one user', async () => {
  const answers = Array.from({ length: 9 }, () => ({ text: 'ok' }));
  const { detent } = await scripted(answers);
  await detent.runs.feed();
  const principal = (userId: string) => ({ tenantId: 1, userId });
  const ann = await detent.run('go', { sessionId: 'a', principal: principal('ann') }).result;
  await detent.run('go', { sessionId: 'b', principal: principal('ben') }).result;
  const before = await all(detent);
  await detent.runs.fork(ann.runId, { at: 1 });
  expect(await all(detent)).toEqual(before);
  const own = await all(detent, { userId: 'ann' });
  expect(own.events.map(({ runId }) => runId)).toEqual([ann.runId, ann.runId]);
  expect(own.cursor).toBe(before.cursor);
  expect((await all(detent, { tenantId: 2 })).events).toEqual([]);
  await detent.sessions.delete('b');
  await detent.run('go', { sessionId: 'c' }).result;
  const after = await all(detent, { after: before.cursor });
  expect(after.events.map(({ cursor }) => cursor)).toEqual([before.cursor + 1, before.cursor + 2]);
});
