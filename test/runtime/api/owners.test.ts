import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DetentOptions, RunRequest } from '../../../src/index.ts';
import { type ScriptLine, scriptedModel } from '../../../src/testing/index.ts';
import { gate, scripted, temporaryWorkspace, tool, withModel } from '../../support/detent.ts';

const of = (userId: string, tenantId = 1) => ({ principal: { userId, tenantId } });
const answers = (count: number): ScriptLine[] => Array.from({ length: count }, () => ({ text: 'ok' }));
const another = { code: 'SESSION_OF_ANOTHER_USER' };

/** Sessions of ada, of bob and of no user, one run each. */
async function having(options: DetentOptions = {}, more: readonly ScriptLine[] = []) {
  const made = await scripted([...answers(3), ...more], { memory: { recall: false }, ...options });
  const say = (prompt: string, request: RunRequest) => made.detent.run(prompt, request).result;
  const ada = await say('one', { sessionId: 'a', ...of('ada') });
  const bob = await say('two', { sessionId: 'b', ...of('bob') });
  const none = await say('three', { sessionId: 'c' });
  return { ...made, say, ada, bob, none };
}

describe('a session', () => {
  it('belongs to the user of the run that makes it, and its runs with it', async () => {
    const { detent, ada, none } = await having();
    expect(await detent.sessions.ownerOf('a')).toEqual({ userId: 'ada' });
    expect(await detent.sessions.ownerOf('c')).toEqual({ userId: null });
    expect(await detent.runs.ownerOf(ada.runId)).toEqual({ userId: 'ada', sessionId: 'a' });
    expect(await detent.runs.ownerOf(none.runId)).toEqual({ userId: null, sessionId: 'c' });
  });

  it('that does not exist, or is of another tenant, has no owner', async () => {
    const { detent, ada } = await having();
    for (const asked of [
      detent.sessions.ownerOf('x'),
      detent.sessions.ownerOf('a', 2),
      detent.runs.ownerOf('run_x'),
      detent.runs.ownerOf(ada.runId, 2),
    ])
      await expect(asked).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('belongs to a user of its tenant: the same words name others elsewhere', async () => {
    const { detent, say } = await having({}, answers(1));
    await detent.tenants.create({ name: 'acme' });
    await say('four', { sessionId: 'a', ...of('bob', 2) });
    expect(await detent.sessions.ownerOf('a', 2)).toEqual({ userId: 'bob' });
    expect(await detent.sessions.ownerOf('a')).toEqual({ userId: 'ada' });
  });

  it('of no user takes the runs of everybody, and stays of no user', async () => {
    const { detent, say } = await having({}, answers(2));
    await say('four', { sessionId: 'c', ...of('ada') });
    const { runId } = await say('five', { sessionId: 'c', ...of('bob') });
    expect(await detent.runs.ownerOf(runId)).toEqual({ userId: null, sessionId: 'c' });
  });

  it('that is forked gives its user to the fork', async () => {
    const { detent, ada } = await having();
    const { sessionId, runId } = await detent.runs.fork(ada.runId, { at: 1 });
    expect(await detent.sessions.ownerOf(sessionId)).toEqual({ userId: 'ada' });
    expect(await detent.runs.ownerOf(runId)).toEqual({ userId: 'ada', sessionId });
    await detent.sessions.fork('a', { runId: ada.runId, seq: 1, sessionId: 'try' });
    expect(await detent.sessions.ownerOf('try')).toEqual({ userId: 'ada' });
  });

  it('that is imported belongs to the user whom the import names, else to none', async () => {
    const { detent } = await having();
    const lines = await Array.fromAsync(detent.sessions.export('a'));
    await detent.sessions.import(lines.join('\n'), { sessionId: 'hers', userId: 'ada' });
    await detent.sessions.import(lines.join('\n'), { sessionId: 'plain' });
    expect(await detent.sessions.ownerOf('hers')).toEqual({ userId: 'ada' });
    expect(await detent.sessions.ownerOf('plain')).toEqual({ userId: null });
  });

  it('of a user is compacted for that user', async () => {
    const { detent } = await having();
    const { runId } = await detent.sessions.compact('a');
    expect(await detent.runs.ownerOf(runId)).toEqual({ userId: 'ada', sessionId: 'a' });
  });

  it.each([
    ['of a user', of('ada'), 'ada'],
    ['of no user', {}, null],
  ])('%s gives its user to those of its tasks, whomever the run is for', async (_, first, userId) => {
    const script: ScriptLine[] = [
      { text: 'ok' },
      { toolCalls: [{ name: 'task', arguments: { prompt: 'look' } }] },
      { text: 'looked' },
      { text: 'done' },
    ];
    const { detent } = await scripted(script, { memory: { recall: false } });
    await detent.run('begin', { sessionId: 's', ...first }).result;
    const { runId } = await detent.run('go', { sessionId: 's', ...of('ada') }).result;
    const runs = await detent.runs.list();
    const task = runs.find(({ parentRunId }) => parentRunId === runId);
    expect(task).toBeDefined();
    expect(await detent.runs.ownerOf(task?.runId ?? '')).toEqual({ userId, sessionId: task?.sessionId });
  });
});

describe('a run in a session of another user', () => {
  it.each(['queue', 'steer', 'interrupt'] as const)(
    'is refused with mode %s, and moves nothing',
    async (mode) => {
      const { reached, open, pass } = gate();
      const waiting = tool('wait', { run: (_, { signal }) => pass(signal).then(() => 'waited') });
      const { detent } = await scripted([{ toolCalls: [{ name: 'wait' }] }, { text: 'done' }], {
        memory: { recall: false },
        tools: { define: [waiting] },
      });
      const hers = detent.run('wait', { sessionId: 'a', ...of('ada') });
      await reached;
      for (const request of [of('bob'), {}, of('')]) {
        const refused = detent.run('ahem', { sessionId: 'a', mode, ...request });
        await expect(refused.started).rejects.toMatchObject(another);
        await expect(refused.result).rejects.toMatchObject(another);
      }
      open();
      expect(await hers.result).toMatchObject({ status: 'done', text: 'done' });
      expect(await detent.runs.list()).toHaveLength(1);
      expect((await detent.sessions.show('a')).conversation.map(({ text }) => text)).not.toContain('ahem');
    },
  );

  it('is refused without a word about whose it is', async () => {
    const { detent } = await having();
    await expect(detent.run('x', { sessionId: 'a', ...of('bob') }).started).rejects.toThrow(/^(?!.*\bada\b)/);
    await expect(detent.run('x', { sessionId: 'a' }).started).rejects.toThrow('principal.userId');
  });

  it('is refused also when two users make the session at the same moment', async () => {
    const file = join(await temporaryWorkspace(), 'runs.db');
    const options = { store: undefined as never, database: { file }, memory: { recall: false } };
    const [one, two] = [0, 1].map(() => withModel(scriptedModel(answers(9)), options));
    for (let i = 0; i < 3; i++) {
      const runs = [
        one?.run('mine', { sessionId: `s${i}`, ...of('ada') }),
        two?.run('mine', { sessionId: `s${i}`, ...of('bob') }),
      ];
      const ends = await Promise.allSettled(runs.map((run) => run?.started));
      expect(ends.filter(({ status }) => status === 'rejected')).toMatchObject([{ reason: another }]);
      await runs[ends.findIndex(({ status }) => status === 'fulfilled')]?.result;
      const owner = await one?.sessions.ownerOf(`s${i}`);
      expect(owner).toEqual({ userId: ends[0]?.status === 'fulfilled' ? 'ada' : 'bob' });
    }
  });
});

describe('what belongs to a user', () => {
  it('is listed apart, and limits count it alone', async () => {
    const { detent, say, ada } = await having({}, answers(4));
    for (const session of ['b', 'b2']) await say('more', { sessionId: session, ...of('bob') });
    const more = await say('more', { sessionId: 'a2', ...of('ada') });
    await say('more', { sessionId: 'c2' });
    const runs = async (filter: Parameters<typeof detent.runs.list>[0]) =>
      (await detent.runs.list(filter)).map(({ runId }) => runId);
    const sessions = async (filter: Parameters<typeof detent.sessions.list>[0]) =>
      (await detent.sessions.list(filter)).map(({ sessionId }) => sessionId);
    const userId = 'ada';
    expect(await runs({ userId })).toEqual([more.runId, ada.runId]);
    expect(await runs({ userId, limit: 1 })).toEqual([more.runId]);
    expect(await runs({ userId, limit: 2, status: ['done'], since: 0 })).toEqual([more.runId, ada.runId]);
    expect(await runs({ userId, sessionId: 'a' })).toEqual([ada.runId]);
    expect(await runs({ userId, sessionId: 'b' })).toEqual([]);
    expect(await runs({ userId, tenantId: 2 })).toEqual([]);
    expect(await runs({ userId: 'eve' })).toEqual([]);
    expect(await runs({ userId: null })).toHaveLength(7);
    expect(await sessions({ userId })).toEqual(['a2', 'a']);
    expect(await sessions({ userId, limit: 2, status: ['done'] })).toEqual(['a2', 'a']);
    expect(await sessions({ userId, limit: 1 })).toEqual(['a2']);
    expect(await sessions({ userId: 'eve' })).toEqual([]);
    expect(await sessions({ userId: null })).toHaveLength(6);
  });

  it.each([7, {}, ['ada'], true])('is not asked for by a user that is no text: %j', async (userId) => {
    const { detent } = await having();
    const filter = { userId: userId as never };
    await expect(detent.runs.list(filter)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    await expect(detent.sessions.list(filter)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    await expect(detent.sessions.search('one', filter)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });
});
