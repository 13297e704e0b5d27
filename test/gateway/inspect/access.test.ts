import { describe, expect, it } from 'vitest';
import type { LetIn } from '../../../src/gateway/access/gate.ts';
import { Tickets } from '../../../src/gateway/inspect/tickets.ts';
import { tool } from '../../support/detent.ts';
import { served } from '../support.ts';
import { open, placeUrl, ticketUrl } from './support.ts';

const parked = async () => {
  const pay = tool('pay', { sideEffect: 'unsafe', confirm: true });
  const world = await served([{ toolCalls: [{ name: 'pay', arguments: {} }] }], { tools: { define: [pay] } });
  const { runId } = await world.detent.run('Pay', { principal: { userId: 'alice' } }).result;
  return { ...world, runId };
};

describe('who may follow a run', () => {
  it('is no one without a ticket or a token', async () => {
    const world = await parked();
    for (const path of ['/inspect', `/inspect/${world.runId}`, '/inspect/run_none', '/inspect/in'])
      expect((await open(placeUrl(world, path))).status).toBe(401);
  });

  it.each([
    ['a wrong ticket', '?ticket=abc'],
    ['an empty one', '?ticket='],
    ['a token in the address', '?token=TOKEN'],
    ['a token as a ticket', '?ticket=TOKEN'],
  ])('is not who shows %s', async (_, query) => {
    const world = await parked();
    const token = await world.token();
    const { status } = await open(placeUrl(world, `/inspect/${world.runId}${query.replace('TOKEN', token)}`));
    expect(status).toBe(401);
  });

  it('is who has a ticket, once', async () => {
    const world = await parked();
    const url = await ticketUrl(world, { runId: world.runId });
    expect((await open(url)).status).toBe(101);
    expect(await open(url)).toMatchObject({
      status: 401,
      refusal: expect.stringContaining('this ticket was used before'),
    });
  });

  it('has a ticket for one place', async () => {
    const world = await parked();
    const places: Record<string, string>[] = [{}, { runId: world.runId }, { use: 'send' }];
    for (const wanted of places)
      for (const shown of places) {
        if (wanted === shown) continue;
        const [, query] = (await ticketUrl(world, shown)).split('?');
        const [place] = (await ticketUrl(world, wanted)).split('?');
        expect((await open(`${place}?${query}`)).status, `${place}?${query}`).toBe(401);
      }
  });

  it('is the user whose run it is: for others it does not exist, in the same words', async () => {
    const world = await parked();
    const mallory = await world.token({ userId: 'mallory' });
    const headers = { authorization: `Bearer ${mallory}` };
    const [real, none] = [
      await open(placeUrl(world, `/inspect/${world.runId}`), { headers }),
      await open(placeUrl(world, '/inspect/run_none'), { headers }),
    ];
    expect(real.status).toBe(404);
    expect(real.refusal.replaceAll(world.runId, 'run_none')).toBe(none.refusal);
    await expect(ticketUrl(world, { runId: world.runId }, mallory)).rejects.toThrow('NOT_FOUND');
    await expect(ticketUrl(world, { runId: 'run_none' })).rejects.toThrow('NOT_FOUND');
    const alice = await world.token({ userId: 'alice', scopes: ['read'] });
    expect((await open(await ticketUrl(world, { runId: world.runId }, alice))).status).toBe(101);
  });

  it('sees among all runs those of its own user', async () => {
    const world = await parked();
    const mallory = await world.token({ userId: 'mallory' });
    const [theirs, all] = [
      await open(await ticketUrl(world, {}, mallory)),
      await open(await ticketUrl(world)),
    ];
    await all.received.saw(({ sessionId }) => sessionId === world.runId);
    expect(theirs.received.messages).toEqual([]);
  });

  it('needs the scope read, and write to send', async () => {
    const world = await parked();
    const writer = { authorization: `Bearer ${await world.token({ scopes: ['write'] })}` };
    expect((await open(placeUrl(world, '/inspect'), { headers: writer })).status).toBe(403);
    expect((await open(placeUrl(world, '/inspect/in'), { headers: writer })).status).toBe(101);
    const reader = await world.token({ scopes: ['read'] });
    const headers = { authorization: `Bearer ${reader}` };
    expect((await open(placeUrl(world, '/inspect/in'), { headers })).status).toBe(403);
    await expect(ticketUrl(world, { use: 'send' }, reader)).rejects.toThrow('FORBIDDEN');
  });

  it('leaves when its token is revoked', async () => {
    const { detent, ...world } = await served([{ text: 'hi' }], {}, { limits: { heartbeatMs: 20 } });
    const { id, token } = await detent.tokens.create({ scopes: ['read'] });
    const { closed } = await open(await ticketUrl(world, {}, token));
    await detent.tokens.revoke(String(id));
    expect(await closed).toMatchObject({ code: 4401 });
  });

  it('is no page of another origin, unless the gateway allows that', async () => {
    const told: unknown[] = [];
    const world = await served([{ text: 'hi' }], {}, { onError: (error) => told.push(error) });
    const origin = 'https://stately.ai';
    const refused = await open(await ticketUrl(world), { headers: { origin } });
    expect(refused.status).toBe(403);
    expect(refused.refusal).toContain('pages of this origin may not use the gateway');
    expect(String(told)).toContain('--allow-origin https://stately.ai');
    const listed = await served([{ text: 'hi' }], {}, { origins: [origin] });
    expect((await open(await ticketUrl(listed), { headers: { origin } })).status).toBe(101);
  });

  it('is slowed down after wrong tickets, as after wrong tokens', async () => {
    const world = await served([{ text: 'hi' }], {}, { limits: { failuresPerMinute: 3 } });
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await open(placeUrl(world, `/inspect?ticket=${i}`))).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });

  it('has a place for each WebSocket of its user', async () => {
    const world = await served([{ text: 'hi' }], {}, { limits: { maxConnectionsPerUser: 1 } });
    expect((await open(await ticketUrl(world))).status).toBe(101);
    const second = await open(await ticketUrl(world));
    expect(await second.closed).toMatchObject({ code: 4429 });
  });
});

describe('a ticket', () => {
  const who = (holder: string): LetIn => ({
    holder,
    caller: { tenantId: 1, userId: null, scopes: ['read'] },
    again: () => Promise.reject(new Error('not asked')),
    hasExpired: () => false,
  });
  const all = { use: 'follow', runId: null } as const;

  it('is good for a minute', () => {
    let now = 0;
    const tickets = new Tickets(() => now);
    const [first, second] = [tickets.make(who('a'), all), tickets.make(who('a'), all)];
    now = 59_999;
    expect(tickets.take(first.ticket, all).who.holder).toBe('a');
    now = 60_000;
    expect(() => tickets.take(second.ticket, all)).toThrow('older than a minute');
  });

  it('of one user is gone when the user asks for many more; those of others stay', () => {
    const tickets = new Tickets(() => 0);
    const [own, other] = [tickets.make(who('a'), all), tickets.make(who('b'), all)];
    for (let i = 0; i < 50; i++) tickets.make(who('a'), all);
    expect(() => tickets.take(own.ticket, all)).toThrow('ticket');
    expect(tickets.take(other.ticket, all).who.holder).toBe('b');
  });
});
