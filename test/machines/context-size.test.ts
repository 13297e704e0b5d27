import { describe, expect, it } from 'vitest';
import { limitsAtWork } from '../../machines/run.rules.ts';
import type { RunContext } from '../../machines/run.types.ts';
import { defaultLimits } from '../../src/store/run-options.ts';
import { reachable } from './reachable.ts';

/** Numbers as a long, expensive run has them. */
function realistic(context: RunContext): RunContext {
  return {
    ...context,
    effectCount: 120 + context.effectCount,
    awaiting: context.awaiting && 120 + context.awaiting,
    steps: 49,
    tokensIn: 1_234_567,
    tokensOut: 123_456,
    costUsd: 12.345_678_91,
    spentMs: 1_799_999,
    since: Date.UTC(2026, 0, 1),
    failing: '0a1b2c3d4e5',
    times: 2,
    limits: limitsAtWork({ ...defaultLimits, tokens: 2_000_000, costUsd: 20 }),
    pending: context.pending.map((call) => ({ ...call, id: 120 + call.id })),
  };
}

function bytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

describe('the context of a run', () => {
  const contexts = reachable().states.map(({ context }) => realistic(context));

  it('is at most 512 bytes, and 80 a pending call, in every state', () => {
    const sizes = contexts
      .filter(({ end }) => end === null)
      .map((context) => bytes({ ...context, pending: [] }));
    const calls = contexts.flatMap(({ pending }) => pending.map((call) => bytes(call) + 1));
    console.log(`context: at most ${Math.max(...sizes)} bytes, ${Math.max(...calls)} a pending call`);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(512);
    expect(Math.max(...calls)).toBeLessThanOrEqual(80);
  });

  it('is plain JSON: it comes back as it was', () => {
    for (const context of contexts) expect(JSON.parse(JSON.stringify(context))).toEqual(context);
  });
});
