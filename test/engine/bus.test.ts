import { describe, expect, it } from 'vitest';
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
