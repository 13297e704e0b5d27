import { describe, expect, it } from 'vitest';
import type { RunSignal } from '../../src/engine/bus.ts';
import { createEmbeddedBus } from '../../src/engine/bus.ts';
import { heard } from './print-shop.ts';

const signal = (runId: string, n = 0) => ({ runId, type: 'x', n });

describe('the bus of one process', () => {
  it('calls the listeners of a run, and no others', () => {
    const bus = createEmbeddedBus();
    const [a, alsoA, b] = [heard(bus, 'a'), heard(bus, 'a'), heard(bus, 'b')];
    bus.notify(signal('a'));
    expect([a.length, alsoA.length, b.length]).toEqual([1, 1, 0]);
  });

  it('tells no more who has left, even in the middle of a signal', () => {
    const bus = createEmbeddedBus();
    const got: string[] = [];
    const leave = bus.listen('a', () => {
      got.push('first');
      leave();
    });
    bus.listen('a', () => void got.push('second'));
    bus.notify(signal('a'));
    bus.notify(signal('a'));
    leave();
    expect(got).toEqual(['first', 'second', 'second']);
  });

  it('takes who listens again after the last has left', () => {
    const bus = createEmbeddedBus();
    bus.listen('a', () => {})();
    const signals = heard(bus, 'a');
    bus.notify(signal('a', 7));
    expect(signals).toEqual([signal('a', 7)]);
  });

  it('removes one listener however often it unsubscribes', () => {
    const bus = createEmbeddedBus();
    const leave = bus.listen('a', () => {});
    leave();
    const signals = heard(bus, 'a');
    leave();
    bus.notify(signal('a', 7));
    expect(signals).toEqual([signal('a', 7)]);
  });
});

describe('an answer that streams', () => {
  const piece = (text: string, offset: number, attempt = 1) => ({
    runId: 'a',
    type: 'delta',
    effectId: 4,
    attempt,
    offset,
    delta: { type: 'text', text },
  });
  const texts = (signals: readonly RunSignal[]) =>
    signals.map(({ offset, delta }) => [offset, (delta as { text: string }).text]);

  it('is known as far as it has come, part by part', () => {
    const bus = createEmbeddedBus();
    bus.notify({ ...piece('hm', 0), delta: { type: 'reasoning', text: 'hm' } });
    bus.notify(piece('Good ', 0));
    bus.notify(piece('day', 5));
    expect(texts(bus.soFar('a'))).toEqual([
      [0, 'hm'],
      [0, 'Good day'],
    ]);
    expect(bus.soFar('b')).toEqual([]);
  });

  it('is told once, also where another process repeats it', () => {
    const bus = createEmbeddedBus();
    const got = heard(bus, 'a');
    for (const [text, offset] of [
      ['Good', 0],
      ['Good d', 0],
      ['Good', 0],
      ['ay', 6],
      ['day', 5],
    ] as const)
      bus.notify(piece(text, offset));
    expect(texts(got)).toEqual([
      [0, 'Good'],
      [4, ' d'],
      [6, 'ay'],
    ]);
  });

  it('without its beginning is told on and not kept', () => {
    const bus = createEmbeddedBus();
    const got = heard(bus, 'a');
    bus.notify(piece('day', 5));
    expect(texts(got)).toEqual([[5, 'day']]);
    expect(bus.soFar('a')).toEqual([]);
  });

  it.each([
    ['its transition', { type: 'transition', seq: 3, event: { type: 'model.done', effectId: 4 } }],
    ['the end of the run', { type: 'transition', seq: 3, event: { type: 'run.cancel' }, ended: true }],
    ['its withdrawal', { type: 'delta.reset', effectId: 4, attempt: 1 }],
    ['a run that stands still', { type: 'stalled' }],
  ])('is forgotten with %s', (_what, signal) => {
    const bus = createEmbeddedBus();
    bus.notify(piece('Good', 0));
    bus.notify({ runId: 'a', ...signal });
    expect(bus.soFar('a')).toEqual([]);
  });

  it('is forgotten when its run has no more listeners here', () => {
    const bus = createEmbeddedBus();
    bus.notify(piece('Good', 0));
    bus.forget('a');
    expect(bus.soFar('a')).toEqual([]);
  });

  it('stays while other transitions happen, and is begun anew with another attempt', () => {
    const bus = createEmbeddedBus();
    bus.notify(piece('Good', 0));
    bus.notify({ runId: 'a', type: 'transition', seq: 3, event: { type: 'run.message' }, ended: false });
    expect(texts(bus.soFar('a'))).toEqual([[0, 'Good']]);
    bus.notify(piece('Bye', 0, 2));
    expect(texts(bus.soFar('a'))).toEqual([[0, 'Bye']]);
  });
});
