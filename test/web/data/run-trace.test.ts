import { describe, expect, it } from 'vitest';
import type { RunTrace, TracedSpan, TracedTransition } from '../../../src/protocol/views.ts';
import { Contexts, joined, pathsAt, readSeq } from '../../../web/src/data/run-trace.ts';

function transition(seq: number, over: Partial<TracedTransition> = {}): TracedTransition {
  return {
    seq,
    at: seq * 10,
    event: { type: 'tick' },
    by: { kind: 'system' },
    way: 0,
    changes: { n: [seq - 1, seq] },
    hash: `h${seq}`,
    ...over,
  };
}

function span(id: number, over: Partial<TracedSpan> = {}): TracedSpan {
  const times = { seq: id, startedAt: id, endSeq: null, endedAt: null };
  return { id, effect: id, lane: 'model', label: `step ${id}`, attempt: 1, ...times, ...over };
}

function trace(over: Partial<RunTrace> = {}): RunTrace {
  return {
    runId: 'run_1',
    sessionId: 's',
    machine: { name: 'run', version: 3, hash: 'h', known: true },
    lastSeq: 300,
    ended: false,
    agrees: 300,
    initial: { path: 'idle', context: { n: 0 } },
    transitions: [],
    ways: { 0: { from: 'idle', to: 'busy', edges: ['idle->busy'], guards: [] } },
    spans: [],
    ...over,
  };
}

const all = Array.from({ length: 300 }, (_, i) => transition(i + 1));

describe('the answers of a trace, joined', () => {
  it('have each transition once, in order, also when two answers overlap', () => {
    const first = joined(null, trace({ transitions: all.slice(0, 200) }));
    const both = joined(first, trace({ transitions: all.slice(150), ended: true }));
    expect(both.transitions.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq));
    expect([both.ended, readSeq(both)]).toEqual([true, 300]);
  });

  it('end a span that an earlier answer had begun, and keep the order of their beginnings', () => {
    const first = joined(null, trace({ spans: [span(1), span(2)] }));
    const both = joined(first, trace({ spans: [span(3), span(1, { endSeq: 5, endedAt: 50 })] }));
    expect(both.spans.map(({ id, endSeq }) => [id, endSeq])).toEqual([
      [1, 5],
      [2, null],
      [3, null],
    ]);
  });
});

describe('the states after a transition', () => {
  it('are those of its way; before the first one, those that the run began in', () => {
    const whole = trace({
      transitions: [transition(1), transition(2, { way: 1 })],
      ways: { ...trace().ways, 1: { from: 'busy', to: ['a.x', 'b.y'], edges: [], guards: [] } },
    });
    expect([0, 1, 2, 3].map((seq) => pathsAt(whole, seq))).toEqual([['idle'], ['busy'], ['a.x', 'b.y'], []]);
  });
});

describe('the context after a transition', () => {
  it('is folded from the changes, whatever was asked for before', () => {
    const contexts = new Contexts();
    const whole = trace({ transitions: all });
    for (const seq of [300, 0, 65, 64, 63, 128, 299, 1])
      expect(contexts.at(whole, seq), `${seq}`).toEqual({ n: seq });
  });

  it('stays right when the run goes on', () => {
    const contexts = new Contexts();
    contexts.at(trace({ transitions: all.slice(0, 64) }), 64);
    expect(contexts.at(trace({ transitions: all }), 200)).toEqual({ n: 200 });
  });

  it('is not known without the machine, and from where the log does not agree with it', () => {
    expect(new Contexts().at(trace({ initial: { path: 'idle', context: null } }), 0)).toBeNull();
    const parted = trace({ transitions: all, diverged: { seq: 3, what: 'context' } });
    const contexts = new Contexts();
    expect([2, 3].map((seq) => contexts.at(parted, seq))).toEqual([{ n: 2 }, null]);
  });
});
