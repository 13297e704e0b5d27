import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agentKind } from '../../../src/runs/kinds/agent-kind.ts';
import { courseOf } from '../../../src/runs/lists/course.ts';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { scripted, temporaryWorkspace, tool } from '../../support/detent.ts';

const call = (name: string, args: object = {}): ScriptLine => ({ toolCalls: [{ name, arguments: args }] });
const tools = { define: [tool('pay', { sideEffect: 'unsafe' }), tool('look')] };

describe('the list of runs', () => {
  it('says where each stands: its state, the tool it asks about, why it failed', async () => {
    const wrong = { error: { code: 'MODEL_AUTH', message: 'wrong key' } };
    const { detent } = await scripted([{ text: 'ok' }, wrong, call('pay')], { tools });
    await detent.run('one', { sessionId: 'a' }).result;
    await detent.run('two', { sessionId: 'b' }).result;
    await detent.run('three', { sessionId: 'c' }).result;
    expect(await detent.runs.list()).toMatchObject([
      { prompt: 'three', state: 'awaitingConfirm', asks: ['pay'] },
      { prompt: 'two', state: 'failed', error: { code: 'MODEL_AUTH' } },
      { prompt: 'one', state: 'done' },
    ]);
    const [, , done] = await detent.runs.list();
    expect(done).not.toHaveProperty('asks');
    expect(done).not.toHaveProperty('course');
  });

  it('has only those of a model, and with certain words', async () => {
    const { detent } = await scripted([{ text: 'ok' }, { text: 'ok' }], { tools });
    const { runId } = await detent.run('Which TEAS run out?', { sessionId: 'restock' }).result;
    await detent.run('Refund', { sessionId: 'shop' }).result;
    const found = async (filter: object) => (await detent.runs.list(filter)).map(({ prompt }) => prompt);
    expect(await found({ words: 'teas' })).toEqual(['Which TEAS run out?']);
    expect(await found({ words: 'RESTOCK' })).toEqual(['Which TEAS run out?']);
    expect(await found({ words: runId })).toEqual(['Which TEAS run out?']);
    expect(await found({ words: 'coffee' })).toEqual([]);
    expect(await found({ model: 'test/script' })).toHaveLength(2);
    expect(await found({ model: 'test/other' })).toEqual([]);
  });

  it('has the courses of runs, whose parts last as long as the run', async () => {
    const { detent } = await scripted([call('look'), call('pay'), { text: 'ok' }], { tools });
    const run = detent.run('go');
    await run.result;
    await run.confirm('c4', { verdict: 'approve' });
    await run.result;
    const [listed] = await detent.runs.list({ course: true });
    const course = listed?.course ?? [];
    const sum = course.reduce((all, [, ms]) => all + ms, 0);
    expect(sum).toBe((listed?.updatedAt ?? 0) - (listed?.createdAt ?? 0));
    const known = ['idle', 'thinking', 'tooling', 'awaitingConfirm'];
    expect(course.filter(([state]) => !known.includes(state))).toEqual([]);
  });
});

describe('a course', () => {
  const moment = fc.record({
    ms: fc.nat(1_000),
    path: fc.constantFrom(
      'active.working.thinking.requesting',
      'active.working.tooling.executing',
      'active.awaitingConfirm',
    ),
  });

  it('has 24 parts at most, neighbours of different states, and lasts as long as the run', () => {
    fc.assert(
      fc.property(fc.array(moment, { minLength: 1, maxLength: 200 }), fc.nat(1_000), (steps, rest) => {
        let at = 0;
        const moments = steps.map(({ ms, path }) => {
          at += ms;
          return { at, path };
        });
        const first = moments[0]?.at ?? 0;
        const course = courseOf(moments, at + rest, agentKind);
        expect(course.length).toBeLessThanOrEqual(24);
        expect(course.reduce((sum, [, ms]) => sum + ms, 0)).toBe(at + rest - first);
        for (const [i, [state]] of course.entries()) expect(state).not.toBe(course[i + 1]?.[0]);
      }),
    );
  });

  it('names states as people know them', () => {
    expect(
      [
        'idle',
        'active.working.compacting.flushing',
        'active.reconciling',
        'active.working.deciding',
        'done',
      ].map(agentKind.stateOf),
    ).toEqual(['idle', 'compacting', 'reconciling', 'deciding', 'done']);
  });
});

describe('the numbers of runs', () => {
  it('are by state: of those that have not ended, and of those that ended since a time', async () => {
    const { detent } = await scripted([{ text: 'ok' }, call('pay'), call('pay'), { text: 'ok' }], { tools });
    await detent.run('one', { sessionId: 'a' }).result;
    await detent.run('two', { sessionId: 'b' }).result;
    await detent.run('three', { sessionId: 'c', principal: { userId: 'ann' } }).result;
    const queued = detent.run('four', { sessionId: 'c', principal: { userId: 'ann' } });
    await queued.result;
    expect(await detent.runs.counts()).toEqual({ done: 1, awaitingConfirm: 2, idle: 1 });
    expect(await detent.runs.counts({ since: Date.now() + 60_000 })).toEqual({ awaitingConfirm: 2, idle: 1 });
    expect(await detent.runs.counts({ userId: 'ann' })).toEqual({ awaitingConfirm: 1, idle: 1 });
    expect(await detent.runs.counts({ userId: 'bob' })).toEqual({});
  });
});

describe('the list of sessions', () => {
  it('has what each waits for, the last words of the agent, or why it failed', async () => {
    const wrong = { error: { code: 'MODEL_AUTH', message: 'wrong key' } };
    const { detent } = await scripted(
      [{ text: 'Three teas\nrun out.' }, wrong, { text: 'I will pay.', ...call('pay') }],
      { tools },
    );
    await detent.run('one', { sessionId: 'a' }).result;
    await detent.run('two', { sessionId: 'b' }).result;
    await detent.run('three', { sessionId: 'c' }).result;
    await detent.sessions.create({ sessionId: 'empty' });
    expect(await detent.sessions.list()).toMatchObject([
      { sessionId: 'empty', status: null, state: null, last: '' },
      { sessionId: 'c', state: 'awaitingConfirm', asks: ['pay'], last: 'I will pay.' },
      { sessionId: 'b', state: 'failed', error: { message: 'wrong key' }, last: '' },
      { sessionId: 'a', state: 'done', last: 'Three teas run out.' },
    ]);
  });
});

describe('runs whose process ended', () => {
  it('are counted at rest, not in the state that holds them, until a process goes on with them', async () => {
    const workspace = await temporaryWorkspace();
    const own = { workspace, store: undefined, database: { file: join(workspace, 'detent.db') }, tools };
    const never = Promise.withResolvers<{ text: string }>();
    onTestFinished(() => never.resolve({ text: 'late' }));
    const asked = Promise.withResolvers<void>();
    const stuck = () => {
      asked.resolve();
      return never.promise;
    };
    const first = await scripted([call('pay'), stuck], own);
    await first.detent.run('waits', { sessionId: 'b' }).result;
    await first.detent.run('stuck', { sessionId: 'a' }).started;
    await asked.promise;
    const other = await scripted([{ text: 'ok' }], own);
    expect(await first.detent.runs.counts()).toEqual({ thinking: 1, awaitingConfirm: 1 });
    expect(await other.detent.runs.counts()).toEqual({ thinking: 1, awaitingConfirm: 1 });
    await first.detent.close();
    expect(await other.detent.runs.counts()).toEqual({ interrupted: 1, awaitingConfirm: 1 });
    const [left] = await other.detent.runs.list({ sessionId: 'a' });
    expect(left?.status).toBe('interrupted');
    await other.detent.runs.resume({ runId: left?.runId ?? '' });
    await other.detent.runs.attach(left?.runId ?? '').result;
    expect(await other.detent.runs.counts()).toEqual({ done: 1, awaitingConfirm: 1 });
  });
});
