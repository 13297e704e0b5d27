import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Detent } from '../../src/index.ts';
import { KeyedRequests, keyMaxAgeMs } from '../../src/runs/rows/keyed-requests.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { coreWith, gate, scripted, temporaryWorkspace } from '../support/detent.ts';

/** Detents on one database, each a driver of its own. */
async function neighbours(count: number): Promise<Detent[]> {
  const workspace = await temporaryWorkspace();
  return Array.from({ length: count }, () => {
    const detent = createDetent({
      workspace,
      env: {},
      model: 'test/m',
      models: { test: scriptedModel([]) },
    });
    onTestFinished(() => detent.close());
    return detent;
  });
}

const pay = { key: 'k1', name: 'pay', body: { order: 7 } };

describe('a request with a key', () => {
  it('is performed once, however many come at once in several processes', async () => {
    const detents = await neighbours(2);
    let performed = 0;
    const work = async () => {
      await sleep(30);
      return { paid: ++performed };
    };
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => detents[i % 2]?.requests.once(pay, work)),
    );
    expect(answers).toEqual(Array(100).fill({ paid: 1 }));
  });

  it('is answered as before, also after a restart', async () => {
    const [first, second] = await neighbours(2);
    expect(await first?.requests.once(pay, async () => undefined)).toBeUndefined();
    await first?.close();
    expect(await second?.requests.once(pay, async () => 'again')).toBeNull();
  });

  it('is another one for another user, tenant and name', async () => {
    const { detent } = await scripted([]);
    const others = [
      pay,
      { ...pay, name: 'refund' },
      { ...pay, principal: { userId: 'anna' } },
      { ...pay, principal: { userId: 'null' } },
      { ...pay, principal: { tenantId: 2 } },
    ];
    let n = 0;
    for (const one of [...others, ...others]) await detent.requests.once(one, async () => ++n);
    expect(n).toBe(5);
  });

  it('is refused when the key was used for another body, before and after the answer', async () => {
    const { detent } = await scripted([]);
    const other = { ...pay, body: { order: 8 } };
    const { pass, open } = gate();
    const first = detent.requests.once(pay, () => pass());
    const conflict = { code: 'IDEMPOTENCY_CONFLICT' };
    await expect(detent.requests.once(other, async () => 1)).rejects.toMatchObject(conflict);
    open();
    await first;
    await expect(detent.requests.once(other, async () => 1)).rejects.toMatchObject(conflict);
    await detent.requests.once({ ...pay, key: 'k2', body: { a: 1, b: 2 } }, async () => 1);
    expect(await detent.requests.once({ ...pay, key: 'k2', body: { b: 2, a: 1 } }, async () => 2)).toBe(1);
  });

  it('may be made again when it failed', async () => {
    const { detent } = await scripted([]);
    const failing = detent.requests.once(pay, async () => {
      throw new Error('no money');
    });
    await expect(failing).rejects.toThrow('no money');
    expect(await detent.requests.once(pay, async () => 'paid')).toBe('paid');
  });

  it('is made again only if it is repeatable when its process ended within it', async () => {
    const [first, second] = await neighbours(2);
    const { pass, reached, open } = gate();
    onTestFinished(open);
    const left = { ...pay, key: 'k2' };
    first?.requests.once(pay, () => pass()).catch(() => {});
    first?.requests.once(left, () => pass()).catch(() => {});
    await reached;
    await sleep(20);
    await first?.close();
    await expect(second?.requests.once(pay, async () => 1)).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
    });
    expect(await second?.requests.once({ ...left, isRepeatable: true }, async () => 2)).toBe(2);
    expect(await second?.requests.once(left, async () => 3)).toBe(2);
  });

  it.each(['', 'k'.repeat(201), 7 as never])('has a key of 1 to 200 characters, not %s', async (key) => {
    const { detent } = await scripted([]);
    await expect(detent.requests.once({ ...pay, key }, async () => 1)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
  });
});

describe('keys', () => {
  const request = (name: string) => ({
    tenant: 1,
    name,
    owner: 'null',
    digest: 'd',
    isRepeatable: false,
  });

  it('are forgotten after a day', async () => {
    const { store, engine } = await coreWith(scriptedModel([]));
    let now = 1_000;
    const clock = { now: () => now } as never;
    const requests = new KeyedRequests({ store, engine, clock });
    let n = 0;
    const ask = () => requests.once(request('a'), { perform: async () => ++n });
    await ask();
    now += keyMaxAgeMs;
    expect(await ask()).toBe(1);
    now += 1;
    expect(await ask()).toBe(2);
  });

  it('of one owner are forgotten beyond a number, oldest first', async () => {
    const { store, engine } = await coreWith(scriptedModel([]));
    let now = 1_000;
    const clock = { now: () => now++ } as never;
    const requests = new KeyedRequests({ store, engine, clock, maxKeys: 100 });
    for (let i = 0; i < 600; i++) await requests.once(request(`k${i}`), { perform: async () => i });
    const rows = await Promise.all(
      Array.from({ length: 600 }, (_, i) => store.query('findRequestKey', { tenant: 1, name: `k${i}` })),
    );
    const kept = rows.flatMap((row, i) => (row ? [i] : []));
    expect(kept.length).toBeLessThanOrEqual(100 + 250);
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, i) => 600 - kept.length + i));
  });
});
