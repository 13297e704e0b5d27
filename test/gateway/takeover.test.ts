import { describe, expect, it } from 'vitest';
import type { DetentOptions } from '../../src/index.ts';
import type { Scope } from '../../src/protocol/access.ts';
import type { ModelRequest } from '../../src/protocol/ports.ts';
import { staffHeading } from '../../src/protocol/ports.ts';
import type { ScriptLine } from '../../src/testing/index.ts';
import { scripted, tool } from '../support/detent.ts';
import { serve } from './support.ts';

const key = 'ann:main';

const shop = async (script: readonly ScriptLine[], config: DetentOptions = {}) => {
  const { detent, model } = await scripted(script, config);
  const world = await serve(detent, { onError: () => {} });
  const { connect, token } = world;
  const as = async (userId: string, scopes: Scope[]) =>
    connect(await token({ userId, scopes, ...(scopes.includes('approve') && { sees: 'tenant' as const }) }));
  const ann = await as('ann', ['talk']);
  const bob = await as('bob', ['read', 'write', 'approve']);
  const cy = await as('cy', ['read', 'write', 'approve']);
  const say = (prompt: string, more = {}) => ann.ask('agent.run', { prompt, sessionId: 'main', ...more });
  const prompts = () => model.requests.map((request: ModelRequest) => request.messages);
  return { ...world, as, ann, bob, cy, say, prompts };
};

describe('a conversation that a person of the staff takes over', () => {
  it('keeps what the user says, without a model, and has the words of the staff for both', async () => {
    const { ann, bob, say, prompts, detent } = await shop([{ text: 'hello' }, { text: 'as Bob says' }]);
    const first = await say('hi');
    await ann.ask('agent.wait', { runId: String(first.runId) });
    const taken = await bob.ask('session.takeover', { sessionId: key, reason: 'angry' });
    expect(taken).toMatchObject({ by: 'bob', since: expect.any(Number) });
    const kept = await say('a person, please');
    expect(kept).toMatchObject({ runId: taken.runId });
    expect(await say('hello?', { mode: 'interrupt' })).toMatchObject({ runId: taken.runId });
    await bob.ask('session.say', { sessionId: key, content: 'I am here' });
    await say('a refund?', { mode: 'steer' });
    expect(prompts()).toHaveLength(1);
    const shown = await ann.ask('session.get', { sessionId: 'main' });
    expect(shown.takenOver).toEqual({ runId: taken.runId, state: 'taken', since: taken.since });
    const said = (view: Record<string, unknown>) =>
      (view.conversation as { role: string; from?: string; text: string }[]).map(({ from, role, text }) => [
        from ?? role,
        text,
      ]);
    const all = [
      ['user', 'hi'],
      ['assistant', 'hello'],
      ['user', 'a person, please'],
      ['user', 'hello?'],
      ['staff', 'I am here'],
      ['user', 'a refund?'],
    ];
    expect(said(shown)).toEqual(all);
    expect(JSON.stringify(shown)).not.toMatch(/bob|angry/);
    const staffs = await bob.ask('session.get', { sessionId: key });
    expect(said(staffs)).toEqual(all);
    expect(staffs.takenOver).toMatchObject({ by: 'bob', reason: 'angry' });
    expect(staffs.status).toBe('waiting');
    const { runId } = await bob.ask('session.giveBack', { sessionId: key });
    expect(await ann.ask('agent.wait', { runId: String(runId) })).toMatchObject({
      status: 'done',
      text: 'as Bob says',
    });
    const last = prompts().at(-1) ?? [];
    expect(last.slice(1).map(({ role, ...rest }) => [role, 'text' in rest ? rest.text : ''])).toEqual([
      ['user', 'hi'],
      ['assistant', 'hello'],
      ['user', 'a person, please'],
      ['user', 'hello?'],
      ['user', `${staffHeading}\n{"from":"staff","text":"I am here"}`],
      ['user', 'a refund?'],
    ]);
    expect(await ann.ask('session.get', { sessionId: 'main' })).not.toHaveProperty('takenOver');
    const { divergences = [] } = (await detent.runs.replay(String(taken.runId))) as {
      divergences?: unknown[];
    };
    expect(divergences).toEqual([]);
  });

  it('is given back without a run when the last words are those of the staff', async () => {
    const { ann, bob, say, prompts } = await shop([{ text: 'hello' }, { text: 'good' }]);
    await ann.ask('agent.wait', { runId: String((await say('hi')).runId) });
    await bob.ask('session.takeover', { sessionId: key });
    await say('who is there?');
    await bob.ask('session.say', { sessionId: key, content: 'Bob' });
    expect(await bob.ask('session.giveBack', { sessionId: key })).toEqual({ runId: null });
    expect(prompts()).toHaveLength(1);
    const { runId } = await say('thanks');
    expect(await ann.ask('agent.wait', { runId: String(runId) })).toMatchObject({ text: 'good' });
  });

  it('stops what is at work and what is queued, in one commit, and the agent answers when nobody did', async () => {
    const pays: ScriptLine = { toolCalls: [{ name: 'pay', arguments: {} }] };
    const { ann, bob, say, detent, prompts } = await shop([pays, { text: 'sorry' }], {
      tools: { define: [tool('pay', { sideEffect: 'unsafe', confirm: true })] },
    });
    const first = await say('buy');
    await ann.ask('agent.wait', { runId: String(first.runId) });
    const second = await say('and?');
    const { runId } = await bob.ask('session.takeover', { sessionId: key });
    const statuses = async () =>
      (await detent.sessions.show(key)).history.map(({ runId: id, status }) => [id, status]);
    expect(await statuses()).toEqual([
      [first.runId, 'cancelled'],
      [second.runId, 'cancelled'],
      [runId, 'waiting'],
    ]);
    const told = (await detent.runs.timeline(String(first.runId))).slice(-3);
    expect(told.map(({ event }) => event)).toEqual(['tool.confirm_resolved', 'tool.result', 'lifecycle.end']);
    const changed = (await detent.runs.timeline(String(first.runId))).filter(
      ({ event }) => event === 'takeover.changed',
    );
    expect(changed).toMatchObject([{ payload: { state: 'taken', runId, by: 'bob' } }]);
    const back = await bob.ask('session.giveBack', { sessionId: key });
    expect(await ann.ask('agent.wait', { runId: String(back.runId) })).toMatchObject({ text: 'sorry' });
    expect(prompts()).toHaveLength(2);
    expect(prompts()[1]?.slice(-1)).toMatchObject([{ role: 'user', text: 'and?' }]);
  });

  it('has one of two who come at once, and tells the other by whom', async () => {
    const { ann, bob, cy, say } = await shop([{ text: 'hello' }]);
    await ann.ask('agent.wait', { runId: String((await say('hi')).runId) });
    const both = await Promise.all(
      [bob, cy].map((one) => one.request('session.takeover', { sessionId: key })),
    );
    const [won] = both.flatMap((frame) => (frame.ok ? [frame.payload as { by: string }] : []));
    const [lost] = both.flatMap((frame) => (frame.ok ? [] : [frame.error]));
    expect(lost).toMatchObject({ code: 'TAKEN_OVER', details: { takenBy: won?.by } });
    // Whoever has it may ask again.
    const again = won?.by === 'bob' ? bob : cy;
    expect(await again.ask('session.takeover', { sessionId: key })).toMatchObject({ by: won?.by });
  });

  it('is for staff alone, and never for the user of the session', async () => {
    const { ann, as, say, bob, detent } = await shop([{ text: 'hello' }]);
    await ann.ask('agent.wait', { runId: String((await say('hi')).runId) });
    for (const method of ['session.takeover', 'session.say', 'session.giveBack'])
      expect(await ann.refused(method, { sessionId: 'main', content: 'x' })).toMatchObject({
        code: 'FORBIDDEN',
      });
    const annAtWork = await as('ann', ['read', 'write', 'approve']);
    expect(await annAtWork.refused('session.takeover', { sessionId: key })).toMatchObject({
      code: 'OWN_SESSION',
    });
    const other = await detent.tokens.create({ scopes: ['read', 'approve'], tenantId: 1, userId: 'eve' });
    expect(other).toBeDefined();
    expect(await bob.refused('session.say', { sessionId: key, content: 'x' })).toMatchObject({
      code: 'NOT_TAKEN_OVER',
    });
    expect(await bob.refused('session.giveBack', { sessionId: key })).toMatchObject({
      code: 'NOT_TAKEN_OVER',
    });
    expect(await bob.refused('session.takeover', { sessionId: 'ann:nowhere' })).toMatchObject({
      code: 'NOT_FOUND',
    });
    const { runId } = await bob.ask('session.takeover', { sessionId: key });
    expect(await annAtWork.refused('session.giveBack', { sessionId: key })).toMatchObject({
      code: 'OWN_SESSION',
    });
    expect(await ann.refused('agent.cancel', { runId })).toMatchObject({ code: 'TAKEN_OVER' });
    expect(await ann.refused('session.clear', { sessionId: 'main', force: true })).toMatchObject({
      code: 'TAKEN_OVER',
    });
    expect(await ann.ask('agent.steer', { runId, message: 'kept, too' })).toEqual({ runId });
    expect((await ann.ask('session.delete', { sessionId: 'main', force: true })).runs).toBe(2);
  });

  it('shows users the name of a token only where the configuration says so', async () => {
    for (const names of ['hidden', 'token'] as const) {
      const { detent, ann, say, connect } = await shop([{ text: 'hello' }], { takeover: { names } });
      await ann.ask('agent.wait', { runId: String((await say('hi')).runId) });
      const made = await detent.tokens.create({ scopes: ['read', 'approve'], name: 'Dora of the shop' });
      const dora = await connect(made.token);
      const { runId } = await dora.ask('session.takeover', { sessionId: key });
      await ann.ask('run.subscribe', { runId });
      await dora.ask('session.say', { sessionId: key, content: 'hello' });
      const said = await ann.saw(({ event }) => event === 'staff.message');
      expect('payload' in said && said.payload).toEqual({
        content: 'hello',
        ...(names === 'token' && { name: 'Dora of the shop' }),
      });
    }
  });

  it('does each request with a key once', async () => {
    const { ann, bob, say, detent } = await shop([{ text: 'hello' }, { text: 'yes' }]);
    await ann.ask('agent.wait', { runId: String((await say('hi')).runId) });
    const twice = async (ask: () => Promise<unknown>) => {
      const answers = [await ask(), await ask()];
      expect(answers[1]).toEqual(answers[0]);
      return answers[0];
    };
    await twice(() => bob.ask('session.takeover', { sessionId: key, idempotencyKey: 'a' }));
    await twice(() => bob.ask('session.say', { sessionId: key, content: 'one', idempotencyKey: 'b' }));
    await twice(() => say('question', { idempotencyKey: 'c' }));
    expect(
      await ann.refused('agent.run', { prompt: 'other', sessionId: 'main', idempotencyKey: 'c' }),
    ).toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    });
    await twice(() => bob.ask('session.giveBack', { sessionId: key, idempotencyKey: 'd' }));
    await twice(() => say('question', { idempotencyKey: 'c' }));
    const { conversation } = await detent.sessions.show(key);
    expect(conversation.map(({ text }) => text).filter((text) => text !== 'yes')).toEqual([
      'hi',
      'hello',
      'one',
      'question',
    ]);
  });
});

describe('a takeover that nobody has come to yet', () => {
  it('begins when the run that asked for it has said its last words, and keeps what comes meanwhile', async () => {
    let asked: Promise<unknown> = Promise.resolve();
    const transfers: ScriptLine = { toolCalls: [{ name: 'transfer', arguments: {} }] };
    const transfer = tool('transfer', {
      sideEffect: 'idempotent',
      async run(_args, ctx) {
        const words = { reason: 'refund', summary: 'wants her money', key: ctx.idempotencyKey };
        const ask = () => world.detent.sessions.requestTakeover(String(ctx.sessionId), words);
        asked = Promise.all([ask(), ask()]);
        await asked;
        await world.say('are you there?');
        return 'a person will come';
      },
    });
    const world = await shop([transfers, { text: 'A person will come.' }, { text: 'I can help again.' }], {
      tools: { define: [transfer] },
    });
    const { ann, bob, say } = world;
    const { runId } = await say('money back');
    expect(await ann.ask('agent.wait', { runId: String(runId) })).toMatchObject({
      text: 'A person will come.',
    });
    const [one, two] = (await asked) as { runId: string }[];
    expect(one).toEqual(two);
    const { takenOver } = await bob.ask('session.get', { sessionId: key });
    expect(takenOver).toMatchObject({
      state: 'waiting',
      reason: 'refund',
      summary: 'wants her money',
      ...one,
    });
    expect(await bob.refused('session.say', { sessionId: key, content: 'x' })).toMatchObject({
      code: 'NOT_TAKEN_OVER',
    });
    expect(await bob.ask('session.takeover', { sessionId: key })).toMatchObject({
      runId: one?.runId,
      by: 'bob',
    });
    const back = await bob.ask('session.giveBack', { sessionId: key });
    expect(await ann.ask('agent.wait', { runId: String(back.runId) })).toMatchObject({
      text: 'I can help again.',
    });
  });
});

describe('a rating', () => {
  it('is of the user of the session, once for an answer, and for operators to see', async () => {
    const { ann, bob, as, say, detent } = await shop([{ text: 'hello' }]);
    const { runId } = await say('hi');
    await ann.ask('agent.wait', { runId: String(runId) });
    const rate = { sessionId: 'main', runId };
    expect(await ann.ask('session.rate', { ...rate, thumb: 'up' })).toMatchObject({ thumb: 'up' });
    const down = await ann.ask('session.rate', { ...rate, thumb: 'down', reason: 'rude' });
    expect(down).toEqual({ runId, messageSeq: expect.any(Number), thumb: 'down' });
    expect(await bob.refused('session.rate', { ...rate, sessionId: key, thumb: 'up' })).toMatchObject({
      code: 'NOT_THE_USER',
    });
    const eve = await as('eve', ['talk']);
    expect(await eve.refused('session.rate', { ...rate, thumb: 'up' })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await ann.refused('session.rate', { ...rate, thumb: 'up', messageSeq: 99 })).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await ann.refused('session.rate', { ...rate, thumb: 'sideways' })).toMatchObject({
      code: 'INVALID_REQUEST',
    });
    const staffs = (await bob.ask('session.get', { sessionId: key })).conversation as unknown as object[];
    expect(staffs[1]).toMatchObject({ rating: { thumb: 'down', reason: 'rude', by: 'ann' } });
    const own = (await ann.ask('session.get', { sessionId: 'main' })).conversation;
    expect(own).toContainEqual(
      expect.objectContaining({ runId, rating: { thumb: 'down', reason: 'rude', at: expect.any(Number) } }),
    );
    const listed = async (who: typeof ann, sessionId: string) => ({
      runs: (await who.ask('run.list', { sessionId })).runs,
      all: (await who.ask('run.list', {})).runs,
      sessions: (await who.ask('session.list', {})).sessions,
    });
    const rating = { thumb: 'down', reason: 'rude', by: 'ann', at: expect.any(Number) };
    const seen = await listed(bob, key);
    expect(seen.runs).toMatchObject([{ runId, ratings: [rating] }]);
    expect(JSON.stringify(seen.all)).not.toContain('ratings');
    expect(seen.sessions).toMatchObject([{ sessionId: key, ratings: { up: 0, down: 1 } }]);
    const { by: _, ...unsigned } = rating;
    const hers = await listed(ann, 'main');
    expect(hers.runs).toMatchObject([{ runId, ratings: [unsigned] }]);
    expect(JSON.stringify(hers)).not.toContain('"by"');
    expect(JSON.stringify(hers.sessions)).not.toContain('ratings');
    const lines = await Array.fromAsync(detent.sessions.export(key));
    expect(lines.filter((line) => line.includes('detent.rating'))).toHaveLength(1);
  });

  it('may be of words of the staff, and is read back', async () => {
    const { ann, bob, say } = await shop([{ text: 'hello' }]);
    await ann.ask('agent.wait', { runId: String((await say('hi')).runId) });
    const { runId } = await bob.ask('session.takeover', { sessionId: key });
    await bob.ask('session.say', { sessionId: key, content: 'Bob' });
    await ann.ask('session.rate', { sessionId: 'main', runId, thumb: 'up' });
    const { conversation } = await ann.ask('session.get', { sessionId: 'main' });
    expect(conversation).toContainEqual(
      expect.objectContaining({ from: 'staff', rating: expect.objectContaining({ thumb: 'up' }) }),
    );
  });
});
