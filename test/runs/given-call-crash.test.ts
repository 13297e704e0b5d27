import { describe, expect, it, onTestFinished } from 'vitest';
import type { SideEffect } from '../../src/ports/tool.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import { tool } from '../support/detent.ts';
import { dyingAt } from '../support/dying-store.ts';
import { givenCalls } from '../support/given-call.ts';

const tenant = 1;
const runId = 'call_1';

interface Scenario {
  sideEffect: SideEffect;
  /** Whether a person approves the call first. */
  confirm?: boolean;
}

/** Makes the call until its process dies at the boundary; then another process goes on, and a person settles what it asks. */
async function liveTwice({ sideEffect, confirm = false }: Scenario, point: number) {
  const store = openInMemory();
  onTestFinished(() => store.close());
  const dying = dyingAt(point);
  const keys: string[] = [];
  const book = tool('book', {
    sideEffect,
    confirm,
    run: (_, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      return 'booked';
    },
  });
  const options = { store, onError: () => {} };
  const life = async () => {
    const first = await givenCalls([book], options, { store: dying.decorate });
    const call = { name: 'book', arguments: '{}', idempotencyKey: 'flow:3' };
    const began = first.start({ call }).then(() => first.settled(runId));
    await Promise.race([dying.died, confirm ? began.then(() => first.confirm(runId, approval)) : began]);
    return first;
  };
  const first = await life().catch(() => null);
  const isDead = dying.passed > point;
  await first?.core.close().catch(() => {});
  const next = await givenCalls([book], options);
  await next.core.runs.resume(tenant, undefined);
  const begun = await next.core.store.query('loadRun', { tenant, id: runId });
  if (!begun) return { isDead, keys, result: null };
  for (let round = 0; round < 5; round++) {
    const { outcome, pending } = await next.settled(runId);
    if (outcome !== null) break;
    const [asked] = pending;
    if (asked?.kind === 'reconcile') await next.reconcile(runId, { verdict: 'skip' });
    else if (asked) await next.confirm(runId, approval);
  }
  return { isDead, keys, result: await next.result(runId) };
}

const approval = { verdict: 'approve' } as const;

/** Dies at each boundary in turn, until a life passes none more. */
async function atEveryBoundary(
  scenario: Scenario,
  check: (lived: Awaited<ReturnType<typeof liveTwice>>) => void,
): Promise<number> {
  for (let point = 0; point < 60; point++) {
    const lived = await liveTwice(scenario, point);
    check(lived);
    if (!lived.isDead) return point;
  }
  throw new Error('it never came to its end');
}

describe('a given call whose process dies at any boundary', () => {
  it.each([false, true])(
    'is made once at most when it is unsafe; approved by a person: %s',
    async (confirm) => {
      const came = new Set<string>();
      const points = await atEveryBoundary({ sideEffect: 'unsafe', confirm }, ({ keys, result }) => {
        expect(keys.length).toBeLessThanOrEqual(1);
        if (result) came.add(result.ok ? result.text : result.code);
      });
      expect(points).toBeGreaterThan(5);
      // A person skipped it when its outcome was unknown.
      expect(came).toEqual(new Set(['booked', 'SKIPPED']));
    },
  );

  it('comes to its result when it is idempotent, always under the same key', async () => {
    const points = await atEveryBoundary({ sideEffect: 'idempotent' }, ({ keys, result }) => {
      expect(new Set(keys).size).toBeLessThanOrEqual(1);
      if (result) expect(result).toMatchObject({ ok: true, text: 'booked' });
    });
    expect(points).toBeGreaterThan(5);
  });
});
