import { describe, expect, it, onTestFinished } from 'vitest';
import type { Detent } from '../../../src/index.ts';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { served } from '../../gateway/support.ts';
import { gate, modelOptions, scripted, temporaryWorkspace, tool } from '../../support/detent.ts';

const guest = { principal: { userId: 'guest:7', claims: { key: 'of the guest' } } };
const ann = { principal: { userId: 'ann' } };
const claim = { from: 'guest:7', to: 'ann' };
const says = (text: string): ScriptLine => ({ text });
const calls = (name: string): ScriptLine => ({ toolCalls: [{ name, arguments: {} }] });
const remembered = async (detent: Detent, userId: string) => {
  const { files } = await detent.memory.files({ userId });
  const texts = await Promise.all(files.map(({ path }) => detent.memory.get(path, { userId })));
  return texts.map(({ text }) => text).join('\n');
};

describe('a claim', () => {
  it('gives sessions, runs, memory and what was spent to the user, and leaves the guest nothing', async () => {
    const budgets = { shop: { maxTokens: 1e6, each: 'user' } } as const;
    const agents = { default: { budget: 'shop' } };
    const { detent } = await scripted([{ text: 'Hello.', usage: { inputTokens: 70 } }], { budgets, agents });
    await detent.run('A red shirt.', { ...guest, sessionId: 'g' }).result;
    await detent.memory.write(['likes red'], { userId: 'guest:7' });
    await detent.memory.write(['is Ann'], { userId: 'ann' });
    expect(await detent.users.claim(claim)).toEqual({ ...claim, sessions: 1, runs: 1 });
    expect(await detent.sessions.list({ userId: 'guest:7' })).toEqual([]);
    expect(await detent.sessions.list({ userId: 'ann' })).toMatchObject([{ sessionId: 'g', runs: 1 }]);
    expect((await detent.usage({ userId: 'ann' })).total.inputTokens).toBe(70);
    const [{ users = [] } = {}] = await detent.budgets.list();
    expect(users).toMatchObject([{ userId: 'ann', tokens: { held: 0 } }]);
    expect(users[0]?.tokens.spent).toBeGreaterThanOrEqual(70);
    const memory = await remembered(detent, 'ann');
    expect(memory).toContain('likes red');
    expect(memory).toContain('is Ann');
  });

  it.each([
    ['a second one', claim, 'USER_CLAIMED'],
    ['one to another user', { ...claim, to: 'eve' }, 'USER_CLAIMED'],
    ['one to itself', { from: 'ann', to: 'ann' }, 'INVALID_ARGUMENTS'],
    ['one to a guest who is gone', { from: 'ann', to: 'guest:7' }, 'USER_CLAIMED'],
    ['one of another tenant', { ...claim, from: 'guest:8', tenantId: 2 }, 'NOT_FOUND'],
    ['one of nobody', { from: 'guest:9', to: 'ann' }, 'NOT_FOUND'],
    ['one of no user', { from: null, to: 'ann' }, 'INVALID_ARGUMENTS'],
  ])('is refused: %s', async (_, wrong, code) => {
    const { detent } = await scripted([says('a'), says('b'), says('c')]);
    await detent.tenants.create({ name: 'acme' });
    await detent.run('Hi.', guest).result;
    await detent.run('Hi.', ann).result;
    await detent.run('Hi.', { principal: { userId: 'guest:8' } }).result;
    await detent.users.claim(claim);
    await expect(detent.users.claim(wrong as typeof claim)).rejects.toMatchObject({ code });
    expect(await detent.sessions.list({ userId: 'ann' })).toHaveLength(2);
    expect(await detent.sessions.list({ userId: 'guest:8' })).toHaveLength(1);
  });

  it('is the end of the guest: it begins nothing more, and the user goes on', async () => {
    const { detent } = await scripted([says('one'), says('two')]);
    await detent.run('Hi.', { ...guest, sessionId: 'g' }).result;
    await detent.users.claim(claim);
    await expect(detent.run('Hi.', guest).result).rejects.toMatchObject({ code: 'USER_CLAIMED' });
    await expect(detent.run('Hi.', { ...guest, sessionId: 'g' }).result).rejects.toMatchObject({
      code: 'SESSION_OF_ANOTHER_USER',
    });
    await expect(detent.sessions.create({ userId: 'guest:7' })).rejects.toMatchObject({
      code: 'USER_CLAIMED',
    });
    expect(await detent.run('Hi.', { ...ann, sessionId: 'g' }).result).toMatchObject({ text: 'two' });
  });

  it('moves runs that work, are parked and wait in the queue: their calls act for the user', async () => {
    const held = gate();
    const seen: unknown[] = [];
    const look = tool('look', { run: (_args, { principal }) => String(seen.push(principal)) });
    const hold = tool('hold', { run: (_args, { signal }) => held.pass(signal).then(() => 'ok') });
    const pay = tool('pay', {
      confirm: true,
      run: (_args, { principal }) => String(seen.push(principal)),
    });
    const script = [calls('hold'), calls('pay'), calls('look'), says('worked'), says('paid'), says('queued')];
    const { detent } = await scripted(script, { tools: { define: [look, hold, pay] } });
    const works = detent.run('work', { ...guest, sessionId: 'w' });
    await works.started;
    const queued = detent.run('then', { ...guest, sessionId: 'w' });
    await queued.started;
    const parked = await detent.run('pay', { ...guest, sessionId: 'p' }).result;
    await detent.users.claim({ ...claim, claims: { key: 'of Ann' } });
    held.open();
    expect(await works.result).toMatchObject({ status: 'done' });
    expect(await queued.result).toMatchObject({ status: 'done' });
    const [asked] = parked.pending;
    await detent.runs.confirm(parked.runId, String(asked?.callId), { verdict: 'approve' });
    await detent.runs.attach(parked.runId).result;
    expect(seen).toEqual(Array(2).fill({ tenantId: 1, userId: 'ann', claims: { key: 'of Ann' } }));
  });

  it('goes on with memory and with those who are told where its process died', async () => {
    const workspace = await temporaryWorkspace();
    const { model: test } = await scripted([says('a')], { workspace });
    const open = () => {
      const detent = createDetent(modelOptions(test, { workspace, store: undefined } as never));
      onTestFinished(() => detent.close());
      return detent;
    };
    const first = open();
    await first.run('Hi.', guest).result;
    await first.memory.write(['likes red'], { userId: 'guest:7' });
    await first.memory.write(['is Ann'], { userId: 'ann' });
    const told: unknown[] = [];
    // Stands for a death between the commit and what follows it.
    first.users.onClaim(() => Promise.reject(new Error('killed')));
    await first.users.claim(claim);
    await first.close();
    const second = open();
    second.users.onClaim((one) => void told.push(one));
    await second.runs.resume();
    await second.runs.resume();
    expect(told).toEqual([{ tenantId: 1, ...claim }]);
    expect((await remembered(second, 'ann')).match(/likes red/g)).toHaveLength(1);
    // A line that an old call writes for the guest is the user's.
    await second.memory.write(['late'], { userId: 'guest:7' });
    expect(await remembered(second, 'ann')).toContain('late');
  });
});

describe('over a gateway', () => {
  it('an operator claims, a customer does not; the open connection of the guest ends', async () => {
    const { connect, token, detent } = await served([says('Hello.'), says('again')]);
    const talks = { scopes: ['talk'] as const };
    const client = await connect(await token({ ...talks, userId: 'guest:7' }));
    const user = await connect(await token({ ...talks, userId: 'ann' }));
    const { runId } = await client.ask('agent.run', { prompt: 'A red shirt.', sessionId: 'main' });
    await client.ask('agent.wait', { runId });
    for (const one of [client, user, await connect(await token({ scopes: ['admin'], userId: 'ann' }))])
      expect(await one.refused('session.claim', claim)).toMatchObject({ code: 'FORBIDDEN' });
    const host = await connect();
    const request = { ...claim, idempotencyKey: 'login-1' };
    const done = await host.ask('session.claim', request);
    expect(await host.ask('session.claim', request)).toEqual(done);
    expect(await host.refused('session.claim', claim)).toMatchObject({ code: 'USER_CLAIMED' });
    expect((await client.closed).code).toBe(4401);
    expect(await user.ask('run.get', { runId })).toMatchObject({ runId, status: 'done' });
    const next = await user.ask('agent.run', { prompt: 'Go on.', sessionId: 'guest%3A7:main' });
    expect(await user.ask('agent.wait', { runId: next.runId })).toMatchObject({ text: 'again' });
    expect(await detent.runs.list({ userId: 'guest:7' })).toEqual([]);
  });

  it('a guest of the host’s own authentication is let in no more', async () => {
    const authenticate = (userId: string) => ({ tenantId: 1, userId, scopes: ['talk'] as const });
    const { detent, http } = await served([says('Hello.')], {}, { authenticate });
    await detent.run('Hi.', guest).result;
    expect(await http('/api/v1/sessions', { token: 'guest:7' })).toMatchObject({ status: 200 });
    await detent.users.claim(claim);
    expect(await http('/api/v1/sessions', { token: 'guest:7' })).toMatchObject({ status: 401 });
    expect(await http('/api/v1/sessions', { token: 'ann' })).toMatchObject({ status: 200 });
  });
});
