import { expect, it } from 'vitest';
import { groupsOf, type ListedSession, titleOf } from '../../../../web/src/pages/chat/session-groups.ts';

const now = new Date(2026, 10, 23, 15, 0).getTime();
const day = 86_400_000;
const session = (status: ListedSession['status'], lastActivityAt: number): ListedSession => ({
  sessionId: `${status} ${now - lastActivityAt}`,
  status,
  pinned: false,
  outcome: null,
  prompt: '',
  last: '',
  state: null,
  runs: 1,
  agent: null,
  model: null,
  costUsd: null,
  createdAt: lastActivityAt,
  messages: 2,
  lastActivityAt,
});

it('calls a session what a person calls it, with what hides in that shown', () => {
  const named = { ...session('done', now), prompt: 'pay' };
  expect(titleOf(named)).toBe('pay');
  expect(titleOf({ ...named, title: 'bills\u202e' })).toBe('bills\\u{202e}');
});

it('puts sessions that wait for the person first, then those at work, then days, newest first', () => {
  const groups = groupsOf(
    [
      session('done', now - 3 * day),
      session('failed', now - 1_000),
      session('running', now - 2 * day),
      session('done', now - day),
      session('waiting', now - 5 * day),
      session('queued', now),
      session(null, now - 30 * day),
      session('done', now - 400 * day),
    ],
    now,
    'en',
  );
  expect(groups.map(({ key, name, sessions }) => [name || key, sessions.length])).toEqual([
    ['waiting', 1],
    ['working', 2],
    ['today', 1],
    ['yesterday', 1],
    ['Friday', 1],
    ['October 24', 1],
    ['October 19, 2025', 1],
  ]);
});

it('has nothing wait for a customer that staff is to do', () => {
  const waiting = session('waiting', now);
  const takenOver = (state: 'waiting' | 'taken') => ({ runId: 'r', state, since: now });
  const groups = groupsOf(
    [
      { ...waiting, state: 'waiting', takenOver: takenOver('waiting') },
      { ...waiting, state: 'taken', takenOver: takenOver('taken') },
      { ...waiting, asks: ['refund'], asksStaff: ['refund'] },
      { ...waiting, asks: ['refund', 'buy'], asksStaff: ['refund'] },
    ],
    now,
    'en',
  );
  expect(groups.map(({ key, sessions }) => [key, sessions.length])).toEqual([
    ['waiting', 1],
    ['working', 3],
  ]);
});

it('keeps the sessions of runs below a listed one under it, at any depth', () => {
  const of = (sessionId: string, at: number, parentSessionId?: string) => ({
    ...session('done', at),
    sessionId,
    ...(parentSessionId !== undefined && { parentSessionId }),
  });
  const [today, ...others] = groupsOf(
    [
      of('task:run_1.c2', now, 'mine'),
      of('task:run_1.c2.c3', now - 5, 'task:run_1.c2'),
      of('other', now - 8),
      of('mine', now - 10),
      of('task:run_9.c1', now - 20, 'of another page'),
    ],
    now,
    'en',
  );
  expect(others).toEqual([]);
  expect(
    today?.sessions.map(({ top, below }) => [top.sessionId, below.map(({ sessionId }) => sessionId)]),
  ).toEqual([
    ['other', []],
    ['mine', ['task:run_1.c2', 'task:run_1.c2.c3']],
    ['task:run_9.c1', []],
  ]);
});

it('has a workflow that waits for events among those at work, and one that asks among those that wait', () => {
  const flow = { ...session('waiting', now), workflow: 'order' };
  const groups = groupsOf([flow, { ...flow, sessionId: 'asks', asks: ['ask'] }], now, 'en');
  expect(groups.map(({ key, sessions }) => [key, sessions.length])).toEqual([
    ['waiting', 1],
    ['working', 1],
  ]);
});
