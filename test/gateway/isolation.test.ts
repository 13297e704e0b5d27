import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { httpMethods } from '../../src/gateway/http/routes.ts';
import { methods } from '../../src/gateway/methods/methods.ts';
import { jobsOf } from '../../src/schedule/door.ts';
import { createScheduler } from '../../src/schedule/scheduler.ts';
import type { ScriptLine } from '../../src/testing/index.ts';
import { itDeep } from '../support/deep.ts';
import { temporaryWorkspace, tool } from '../support/detent.ts';
import { writeFiles } from '../support/files.ts';
import { type Ids, inputOf, masked, nothing, requestOf } from './inputs.ts';
import { served } from './support.ts';

const secret = 'Xanadu';
const script: ScriptLine[] = [
  { toolCalls: [{ name: 'pay', arguments: { to: secret } }] },
  { text: `${secret} it is` },
];

describe('what belongs to another', () => {
  /** A run of Alice that waits, and one before it, in a world with a stranger. */
  const worldOf = async () => {
    const pay = tool('pay', { sideEffect: 'unsafe', confirm: true, run: () => secret });
    const world = await served([...script, ...script], { tools: { define: [pay] } });
    const { detent } = world;
    const as = { principal: { userId: 'alice' } };
    const parked = await detent.run(`${secret}?`, { sessionId: 'parlour', ...as }).result;
    const other = await detent.run(`${secret}!`, { sessionId: 'spare', ...as }).result;
    const scheduler = createScheduler(detent);
    await scheduler.add({ jobId: 'ledger', every: '1h', prompt: secret }, { userId: 'alice' });
    const victim: Ids = {
      runId: parked.runId,
      otherRunId: other.runId,
      sessionId: 'parlour',
      callId: String(parked.pending[0]?.callId),
      jobId: 'ledger',
    };
    const everything = async () =>
      JSON.stringify([
        await detent.runs.list({ userId: 'alice' }),
        await detent.runs.show(victim.runId),
        await detent.sessions.show('parlour'),
        (await (await jobsOf(detent)).get(1, 'ledger')).row,
        await scheduler.history('ledger'),
      ]);
    return { ...world, victim, everything, mallory: await world.token({ userId: 'mallory' }) };
  };

  it('is there: its owner sees it', async () => {
    const { connect, token, victim } = await worldOf();
    const alice = await connect(await token({ userId: 'alice' }));
    expect(await alice.ask('run.get', { runId: victim.runId })).toMatchObject({ status: 'waiting' });
    expect((await alice.ask('run.list')).runs).toHaveLength(2);
    expect(await alice.ask('cron.get', { jobId: 'ledger' })).toMatchObject({ prompt: secret });
    expect(JSON.stringify(await alice.ask('session.get', { sessionId: 'parlour' }))).toContain(secret);
  });

  it('is in no list of another', async () => {
    const { connect, token } = await worldOf();
    const stranger = await connect(await token({ userId: 'mallory' }));
    expect(await stranger.ask('cron.list')).toEqual({ jobs: [] });
  });

  it('does not exist for any method', async () => {
    const { connect, everything, token, victim } = await worldOf();
    const before = await everything();
    for (const [i, method] of methods.entries()) {
      // Each time another user, who has nothing yet.
      const stranger = await connect(await token({ userId: `mallory${i}` }));
      const real = await stranger.request(method.name, inputOf(method, victim));
      const none = await stranger.request(method.name, inputOf(method, nothing));
      expect(withoutQuery(real), method.name).not.toContain(secret);
      expect(masked(real, victim), method.name).toEqual(masked(none, nothing));
      expect(await everything(), method.name).toBe(before);
    }
  });

  itDeep('does not exist for any place of the HTTP interface', async () => {
    const { http, everything, token, victim } = await worldOf();
    const before = await everything();
    for (const [i, method] of httpMethods.entries()) {
      // It never ends; what it sends is that of feed.list.
      if (method.name === 'feed.stream') continue;
      const place = `${method.http?.verb} ${method.http?.path}`;
      const mallory = await token({ userId: `mallory${i}` });
      const ask = async (ids: Ids) => {
        const { path, init } = requestOf(method, inputOf(method, ids));
        const { status, body } = await http(path, { ...init, token: mallory });
        return { status, body };
      };
      const real = await ask(victim);
      expect(withoutQuery(real), place).not.toContain(secret);
      expect(masked(real, victim), place).toEqual(masked(await ask(nothing), nothing));
      expect(await everything(), place).toBe(before);
    }
  });

  it('is not found by names made of names', async () => {
    const { connect, mallory } = await worldOf();
    const stranger = await connect(mallory);
    for (const sessionId of [
      'parlour',
      'alice:parlour',
      'alice%3Aparlour',
      ':parlour',
      ' parlour',
      'PARLOUR',
      'parlour\u200b',
    ])
      expect(await stranger.refused('session.get', { sessionId })).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('leaves two users a session of the same name each', async () => {
    const { detent, connect, token } = await served([{ text: 'for bob' }, { text: 'for carol' }]);
    const [bob, carol] = [
      await connect(await token({ userId: 'bob' })),
      await connect(await token({ userId: 'carol' })),
    ];
    const first = await bob.ask('agent.run', { prompt: 'hi', sessionId: 'main' });
    await bob.saw(({ event }) => event === 'lifecycle.end');
    const second = await carol.ask('agent.run', { prompt: 'hi', sessionId: 'main' });
    await carol.saw(({ event }) => event === 'lifecycle.end');
    expect(second.sessionId).not.toBe(first.sessionId);
    expect(JSON.stringify(await carol.ask('session.get', { sessionId: 'main' }))).not.toContain('for bob');
    expect((await detent.sessions.list({ userId: 'bob' })).map(({ sessionId }) => sessionId)).toEqual([
      first.sessionId,
    ]);
  });
});

describe('a folder of the machine', () => {
  /** A gateway whose workspace has what lists and errors may name the places of. */
  const worldWithPaths = async () => {
    const workspace = await temporaryWorkspace();
    const home = await temporaryWorkspace();
    const skill = '---\nname: good\ndescription: Fine.\n---\nDo it.\n';
    await writeFiles(workspace, {
      'skills/good/SKILL.md': skill,
      '.claude/skills/good/SKILL.md': skill,
      'skills/bad/SKILL.md': 'nothing',
      'memory/MEMORY.md': `${secret} is here.`,
    });
    await mkdir(join(workspace, 'skills/unreadable/SKILL.md'), { recursive: true });
    const env = { DETENT_HOME: home };
    const calls = [
      { name: 'read_file', arguments: { path: 'none.txt' } },
      { name: 'read_file', arguments: { path: '../../etc/passwd' } },
      { name: 'list_files', arguments: { path: 'skills' } },
      { name: 'write_file', arguments: { path: 'skills', content: 'x' } },
      { name: 'grep', arguments: { pattern: secret } },
    ];
    const world = await served([{ toolCalls: calls }, { text: 'done' }], { workspace, env });
    const { runId } = await world.detent.run('/good go', { sessionId: 'parlour', approve: 'all' }).result;
    const ids: Ids = { runId, otherRunId: runId, sessionId: 'parlour', callId: 'c2', jobId: 'none' };
    const places = [workspace, home, process.cwd(), homedir()];
    const token = await world.token({ scopes: ['read', 'write', 'approve'] });
    return { ...world, ids, places, shown: token };
  };

  it('is in no answer and no error of any method, without the scope admin', async () => {
    const { connect, http, ids, places, shown } = await worldWithPaths();
    const client = await connect(shown);
    for (const method of methods)
      for (const input of [
        inputOf(method, ids),
        inputOf(method, nothing),
        { ...inputOf(method, ids), odd: 1 },
      ]) {
        const answer = JSON.stringify(await client.request(method.name, input));
        for (const place of places) expect(`${method.name}: ${answer}`).not.toContain(place);
      }
    for (const method of httpMethods) {
      if (method.http?.streams === 'always') continue;
      const { path, init } = requestOf(method, inputOf(method, ids));
      const answer = JSON.stringify((await http(path, { ...init, token: shown })).body);
      for (const place of places) expect(`${method.name}: ${answer}`).not.toContain(place);
    }
  });

  it('is shown with it, where skills are found', async () => {
    const { http, places, shown, token } = await worldWithPaths();
    const listOf = async (used: string) =>
      (await http('/api/v1/skills', { token: used })).body.skills as unknown as {
        skills: { name: string; from: string; path: string; shadows: string[] }[];
        bad: { path: string; reasons: string[] }[];
      };
    const good = ({ skills }: Awaited<ReturnType<typeof listOf>>) =>
      skills.find(({ name }) => name === 'good');
    expect(good(await listOf(await token()))?.path).toBe(`${places[0]}/.claude/skills/good/SKILL.md`);
    const list = await listOf(shown);
    expect(good(list)).toMatchObject({ from: 'project', path: 'good/SKILL.md', shadows: ['good/SKILL.md'] });
    expect(list.bad.map(({ path }) => path)).toEqual(['bad/SKILL.md', 'unreadable/SKILL.md']);
  });
});

const withoutQuery = (answer: unknown) => JSON.stringify(answer).replaceAll(`"query":"${secret}"`, '');
