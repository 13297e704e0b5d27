import { describe, expect, it } from 'vitest';
import type { RunTrace, TracedTransition } from '../../../src/protocol/views.ts';
import { type ActorSummary, heldAfter } from '../../../web/src/data/inspected-actor.ts';

const summary = (over: Partial<ActorSummary> = {}): ActorSummary => ({
  actorId: 'actor_1',
  name: 'door',
  sender: 'shop',
  sessionId: 'x:0',
  status: 'active',
  isConnected: true,
  path: 'shut',
  tags: [],
  lastSeq: 0,
  dropped: 0,
  createdAt: 1,
  updatedAt: 1,
  registeredAt: 1,
  ...over,
});

/** An answer that has the transitions from one number to another. */
const page = (from: number, to: number, lastSeq = to): RunTrace => ({
  runId: 'actor_1',
  sessionId: 'x:0',
  machine: { name: 'run', version: 0, hash: null, known: true },
  lastSeq,
  ended: false,
  agrees: lastSeq,
  initial: { path: 'shut', context: { from } },
  transitions: Array.from(
    { length: Math.max(0, to - from + 1) },
    (_, i) => ({ seq: from + i }) as TracedTransition,
  ),
  ways: {},
  spans: [],
});

const seqs = (trace?: RunTrace) => trace?.transitions.map(({ seq }) => seq);

describe('what is held of an actor', () => {
  it('grows with its answers, and stays the same object when nothing happened', () => {
    const first = heldAfter(null, summary(), page(1, 2, 4));
    const second = heldAfter(first, summary(), page(3, 4));
    expect(seqs(second?.trace)).toEqual([1, 2, 3, 4]);
    expect(heldAfter(second, summary(), page(5, 4))).toBe(second);
  });

  it('is numbered from 1, also when the gateway kept only the last transitions, and begins where it began', () => {
    const first = heldAfter(null, summary({ dropped: 36 }), page(37, 38));
    const second = heldAfter(first, summary({ dropped: 37 }), page(39, 40));
    expect(second).toMatchObject({
      forgotten: 36,
      trace: { lastSeq: 4, initial: { context: { from: 37 } } },
    });
    expect(seqs(second?.trace)).toEqual([1, 2, 3, 4]);
  });

  it('is nothing more after another registration, or when transitions between were forgotten', () => {
    const held = heldAfter(null, summary(), page(1, 2));
    expect(heldAfter(held, summary({ registeredAt: 2 }), page(3, 3))).toBe(null);
    expect(heldAfter(held, summary({ dropped: 5 }), page(6, 7))).toBe(null);
    expect(heldAfter(held, summary({ dropped: 5 }), page(4, 3, 9))).toBe(null);
  });

  it('has ended with the actor or its program, whose clock then stands still', () => {
    const held = heldAfter(null, summary(), page(1, 1));
    expect(held?.trace.ended).toBe(false);
    expect(heldAfter(held, summary({ isConnected: false }), page(2, 1))?.trace.ended).toBe(true);
    expect(heldAfter(held, summary({ status: 'done' }), page(2, 2))?.trace.ended).toBe(true);
  });

  it('is no run of an agent, whatever the machine is called', () => {
    expect(heldAfter(null, summary(), page(1, 1))?.trace.machine.name).not.toBe('run');
  });
});
