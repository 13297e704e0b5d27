import type { RunTrace, TracedSpan, TracedWay } from '../../../../src/protocol/views.ts';

/** A transition of a made-up trace, in few words. */
type Line = readonly [at: number, event: string, to: string, edges?: readonly string[], guards?: string[]];

/** A trace of an agent's run, made of lines. Each has a way of its own. */
export function traceOf(
  lines: readonly Line[],
  spans: readonly Partial<TracedSpan>[] = [],
  over: Partial<RunTrace> = {},
): RunTrace {
  const ways: Record<number, TracedWay> = {};
  const transitions = lines.map(([at, type, to, edges = [], guards = []], i) => {
    const from = lines[i - 1]?.[2] ?? 'idle';
    ways[i] = { from, to, edges: [...edges], guards: guards.map((guard) => ({ guard, holds: true })) };
    return {
      seq: i + 1,
      at,
      event: { type },
      by: { kind: 'system' as const },
      way: i,
      changes: {},
      hash: '',
    };
  });
  return {
    runId: 'run_1',
    sessionId: 's',
    machine: { name: 'run', version: 3, hash: null, known: true },
    lastSeq: lines.length,
    ended: true,
    agrees: lines.length,
    initial: { path: 'idle', context: {} },
    transitions,
    ways,
    spans: spans.map((span, i) => spanOf({ id: i + 1, ...span })),
    ...over,
  };
}

export function spanOf(over: Partial<TracedSpan>): TracedSpan {
  const startedAt = over.startedAt ?? 0;
  return {
    id: 1,
    effect: 1,
    lane: 'model',
    label: 'step 1',
    step: 1,
    seq: 1,
    startedAt,
    endSeq: 2,
    endedAt: startedAt + 10,
    attempt: 1,
    ...over,
  };
}
