import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Cart } from '../../src/shop/models.ts';
import { itDeep } from '../support/deep.ts';
import { inSizes } from '../support/size.ts';
import { conversationIn } from './cart-calls.ts';
import { lampShop } from './support.ts';

const stock: Record<string, number> = { red: 3, blue: 10, gold: 200 };
const price: Record<string, string> = { red: '0.10', blue: '19.99', gold: '1131.10' };
const cents: Record<string, number> = { red: 10, blue: 1999, gold: 113_110 };
const items = Object.entries(stock).map(([id, pieces]) => [id, [price[id] ?? '', pieces]] as const);
const json = lampShop(Object.fromEntries(items), 'ann@example.com');

const item = fc.constantFrom('red', 'blue', 'gold');
const step = fc.record({
  device: fc.constantFrom(0, 1),
  /** How often the call is repeated under its key, by either device. */
  repeats: fc.constantFrom(0, 0, 1, 2),
  act: fc.oneof(
    fc.record({
      action: fc.constant('add' as const),
      itemId: item,
      quantity: fc.integer({ min: 1, max: 99 }),
    }),
    fc.record({
      action: fc.constant('change' as const),
      itemId: item,
      quantity: fc.integer({ min: 1, max: 12 }),
    }),
    fc.record({ action: fc.constant('remove' as const), itemId: item }),
    fc.constant({ action: 'clear' as const }),
    fc.constant({ action: 'coupon' as const, code: 'WELCOME10' }),
    fc.constant({ action: 'buy' as const }),
  ),
});
type Act = Parameters<Parameters<typeof step.map>[0]>[0]['act'];

/** What carts and shelves must be, in a dozen lines. */
class Model {
  left = { ...stock };
  lines = new Map<string, number>();
  coupon = false;

  perform(act: Act): void {
    if (act.action === 'clear') this.empty();
    else if (act.action === 'coupon') this.coupon = true;
    else if (act.action === 'remove') this.lines.delete(act.itemId);
    else if (act.action === 'buy') this.buy();
    else {
      const had = this.lines.get(act.itemId) ?? 0;
      const wanted = act.action === 'add' ? had + act.quantity : act.quantity;
      const may = wanted <= 99 && wanted <= (this.left[act.itemId] ?? 0) && (act.action === 'add' || had > 0);
      if (may) this.lines.set(act.itemId, wanted);
    }
  }

  empty(): void {
    this.lines.clear();
    this.coupon = false;
  }

  buy(): void {
    const isThere = [...this.lines].every(([id, pieces]) => pieces <= (this.left[id] ?? 0));
    if (this.lines.size === 0 || !isThere) return;
    for (const [id, pieces] of this.lines) this.left[id] = (this.left[id] ?? 0) - pieces;
    this.empty();
  }

  get total(): number {
    const subtotal = [...this.lines].reduce((sum, [id, pieces]) => sum + (cents[id] ?? 0) * pieces, 0);
    return subtotal - (this.coupon ? Math.floor(subtotal / 10) : 0);
  }
}

function twoDevices() {
  const folder = mkdtempSync(join(tmpdir(), 'detent-shop-'));
  const file = join(folder, 'shop.db');
  const devices = [conversationIn(file, 'phone'), conversationIn(file, 'tablet')] as const;
  devices[0].shop.import(json, { tenantId: 1 });
  const end = () => {
    for (const { shop } of devices) shop.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { file, devices, end };
}

const cartOf = async ({ call }: ReturnType<typeof conversationIn>) =>
  (await call('cart_manager', { action: 'view' }, 'view')).data?.cart as unknown as Cart;

describe('a cart of two devices', () => {
  const numRuns = inSizes({ usual: 8, deep: 40, full: 1_000 });

  it(`is exact in ${numRuns} random histories, whatever is repeated`, async () => {
    let keys = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { devices, end } = twoDevices();
        try {
          const model = new Model();
          let orders = 0;
          for (const { device, repeats, act } of steps) {
            const key = `k${++keys}`;
            const answers: unknown[] = [];
            for (let n = 0; n <= repeats; n++) {
              const { call, shop } = devices[(device + n) % 2 === 0 ? 0 : 1];
              if (act.action !== 'buy') answers.push((await call('cart_manager', act, key)).text);
              else {
                const { data } = await call('checkout_link', {}, key);
                const { id } = (data?.checkout ?? {}) as { id?: string };
                answers.push(id);
                if (id)
                  orders += attempted(() => shop.api.placeOrder(id, 'ann', 'card', 1)) && n === 0 ? 1 : 0;
              }
            }
            expect(new Set(answers).size).toBe(1);
            model.perform(act);
            const [one, other] = [await cartOf(devices[0]), await cartOf(devices[1])];
            expect(one).toEqual(other);
            expect(one.total.minor).toBe(model.total);
            expect(new Map(one.lines.map((line) => [line.itemId, line.quantity]))).toEqual(model.lines);
            const product = (await devices[0].call('product_get', { id: 'lamp' }, 'p')).data
              ?.product as unknown as {
              variants: { id: string; stock: number }[];
            };
            const left = Object.fromEntries(product.variants.map((it) => [it.id, it.stock]));
            expect(left).toEqual(model.left);
            expect(Math.min(...Object.values(left))).toBeGreaterThanOrEqual(0);
          }
          expect((await devices[0].shop.report(1, 0, Number.MAX_SAFE_INTEGER)).sums.orders).toBe(orders);
        } finally {
          end();
        }
      }),
      { numRuns },
    );
  });

  itDeep('takes what a killed process wrote once, when the call is repeated under its key', async () => {
    const { file, devices, end } = twoDevices();
    onTestFinished(end);
    for (const [n, quantity] of [2, 3].entries()) {
      const child = spawn(process.execPath, [
        join(import.meta.dirname, 'cart-main.ts'),
        file,
        'blue',
        `${quantity}`,
        `kill-${n}`,
      ]);
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'exit');
      const args = { action: 'add', itemId: 'blue', quantity };
      await Promise.all(devices.map(({ call }) => call('cart_manager', args, `kill-${n}`)));
    }
    expect(await cartOf(devices[1])).toMatchObject({
      lines: [{ itemId: 'blue', quantity: 5 }],
      total: { minor: 9995 },
    });
  });
});

function attempted(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
