import { describe, expect, it } from 'vitest';
import { type ActorOwner, LiveActors } from '../../../../src/gateway/inspect/live/actors.ts';

const alice: ActorOwner = { tenantId: 1, userId: 'alice' };

const actor = (sessionId: string, context: object = {}) =>
  JSON.stringify({
    type: '@xstate.actor',
    sessionId,
    name: sessionId,
    snapshot: { status: 'active', value: 'a', context },
  });

const snapshot = (sessionId: string, value: unknown, context: object = {}) =>
  JSON.stringify({
    type: '@xstate.snapshot',
    sessionId,
    event: { type: 'go' },
    snapshot: { status: 'active', value, context },
  });

function living(limits = {}) {
  let now = 0;
  const actors = new LiveActors(() => ++now, limits);
  return { actors, sender: actors.sender(alice, null), list: () => actors.list(alice) };
}

describe('the actors that are kept', () => {
  it('are the ones that moved last, when there are too many: the others are forgotten and counted', () => {
    const { sender, list } = living({ maxActors: 2 });
    for (const id of ['one', 'two']) sender.take(actor(id));
    sender.take(snapshot('one', 'b'));
    sender.take(actor('three'));
    expect(list()).toMatchObject({ dropped: 1, actors: [{ name: 'three' }, { name: 'one', lastSeq: 1 }] });
  });

  it('have their last transitions, and begin where the forgotten ones ended', () => {
    const { actors, sender, list } = living({ maxTransitions: 2 });
    sender.take(actor('x:0', { n: 0 }));
    for (let n = 1; n <= 5; n++) sender.take(snapshot('x:0', `s${n}`, { n }));
    const [summary] = list().actors;
    expect(summary).toMatchObject({ lastSeq: 5, dropped: 3, path: 's5' });
    const trace = actors.get(alice, String(summary?.actorId)).actor.trace(0, 10);
    expect(trace.initial).toEqual({ path: 's3', context: { n: 3 } });
    expect(trace.transitions.map(({ seq, changes }) => [seq, changes])).toEqual([
      [4, { n: [3, 4] }],
      [5, { n: [4, 5] }],
    ]);
    expect(Object.keys(trace.ways)).toEqual(trace.transitions.map(({ way }) => String(way)));
  });

  it('of one user take a limited space, however they fill it', () => {
    const { actors, sender, list } = living({ maxSize: 100_000 });
    sender.take(actor('large'));
    for (let n = 1; n <= 100; n++) sender.take(snapshot('large', `s${n}`, { text: `${n}`.repeat(5_000) }));
    const [large] = list().actors;
    expect(large?.dropped).toBeGreaterThan(80);
    expect(actors.get(alice, String(large?.actorId)).actor.size).toBeLessThan(100_000);
    for (let n = 0; n < 100; n++) sender.take(actor(`small${n}`, { text: 'x'.repeat(5_000) }));
    expect(list().dropped).toBeGreaterThan(80);
  });

  it('of all users together take a limited space: the one with most gives way', () => {
    const { actors, sender, list } = living({ maxTotalSize: 50_000 });
    const bob = { tenantId: 1, userId: 'bob' };
    actors.sender(bob, null).take(actor('bob', { text: 'x'.repeat(1_000) }));
    for (let n = 0; n < 20; n++) sender.take(actor(`a${n}`, { text: 'x'.repeat(5_000) }));
    expect(actors.list(bob).actors).toHaveLength(1);
    expect(list().actors.length).toBeLessThan(10);
  });

  it('keep their ids when a program that has a name shows them to another gateway', () => {
    const idOf = (owner: ActorOwner, program: string | null) => {
      const { actors } = living();
      actors.sender(owner, program).take(actor('x:0'));
      return actors.list(owner).actors[0]?.actorId;
    };
    expect(idOf(alice, 'shop')).toBe(idOf(alice, 'shop'));
    const others = [idOf(alice, null), idOf(alice, null), idOf({ tenantId: 1, userId: 'bob' }, 'shop')];
    expect(new Set([idOf(alice, 'shop'), ...others]).size).toBe(4);
  });

  it('say that they were registered again, and whose children they are', () => {
    const { sender, list } = living();
    const child = JSON.stringify({ ...JSON.parse(actor('child')), parentId: 'parent' });
    sender.take(child);
    expect(list().actors[0]).not.toHaveProperty('parentActorId');
    sender.take(actor('parent'));
    const [parent, first] = list().actors;
    expect(first).toMatchObject({ parentSessionId: 'parent', parentActorId: parent?.actorId });
    sender.take(child);
    const again = list().actors.find(({ name }) => name === 'child');
    expect(again?.actorId).toBe(first?.actorId);
    expect(again?.registeredAt).toBeGreaterThan(first?.registeredAt ?? 0);
  });

  it('of another tenant are not seen, whoever asks', () => {
    const { actors, sender } = living();
    sender.take(actor('x:0'));
    expect(actors.list({ tenantId: 2, userId: null }).actors).toEqual([]);
    expect(actors.list({ tenantId: 2, userId: 'alice' }).actors).toEqual([]);
    expect(actors.list({ tenantId: 1, userId: null }).actors).toHaveLength(1);
  });
});

describe('what an actor says of itself', () => {
  it('may lack its registration, which clients drop first', () => {
    const { sender, list } = living();
    sender.take(snapshot('x:7', { a: 'b', c: 'd' }));
    expect(list().actors).toMatchObject([{ name: 'x:7', path: ['a.b', 'c.d'] }]);
  });

  it.each([
    ['a number', 1, 'active'],
    ['a list', ['a'], 'active'],
    ['an object of numbers', { a: 1 }, 'active'],
    ['no state', undefined, 'active'],
    ['states without states', { a: {} }, 'a'],
  ])('may have %s for a state', (_, value, path) => {
    const { sender, list } = living();
    sender.take(snapshot('x:0', value));
    expect(list().actors).toMatchObject([{ path }]);
  });

  it('has its context left out when that is too large', () => {
    const { actors, sender, list } = living();
    sender.take(actor('x:0', { text: 'x'.repeat(100_000) }));
    const { initial } = actors.get(alice, String(list().actors[0]?.actorId)).actor.trace(0, 1);
    expect(initial.context).toEqual({ isTooLarge: true, characters: 100_011 });
  });

  it('changes no object of the process', () => {
    const { actors, sender, list } = living();
    const bad = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    sender.take(
      `{"type":"@xstate.actor","sessionId":"__proto__","name":"p","snapshot":{"value":${bad},"context":${bad}}}`,
    );
    sender.take(
      `{"type":"@xstate.snapshot","sessionId":"__proto__","event":{"type":"e","__proto__":{"polluted":true}},"snapshot":{"value":"a","context":${bad.replace('true', '1')}}}`,
    );
    const [{ actorId } = { actorId: '' }] = list().actors;
    actors.get(alice, actorId).actor.trace(0, 1);
    expect({}).not.toHaveProperty('polluted');
  });
});
