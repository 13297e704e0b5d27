import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { ToolContext } from '../../src/protocol/tool.ts';
import { type AnyShop, type OpenShop, openShop, type ShopOptions } from '../../src/shop/open-shop.ts';
import { createToolbox } from '../../src/tools/toolbox.ts';
import { toolContext } from '../tools/helpers.ts';

const folder = resolve(import.meta.dirname, '../fixtures/shop/whole');
export const fixture = (name: string): string => readFileSync(resolve(folder, name), 'utf8');
export const parsedFixture = <T>(name: string): T => JSON.parse(fixture(name)) as T;

/** A demo shop in memory, filled from the fixture or another file. */
export function filledShop(options: Partial<ShopOptions> = {}, json = fixture('db.json')): OpenShop {
  const shop = openShop({ file: ':memory:', ...options });
  onTestFinished(() => shop.close());
  shop.import(json, { tenantId: 1 });
  return shop;
}

export interface Result {
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  data: any;
  code: string | null;
}

let keys = 0;

/** A conversation: calls the tools as a run does, with a key of its own for each call. */
export function conversation({ tools }: AnyShop, over: Partial<ToolContext> = {}) {
  const toolbox = createToolbox({ tools: [...tools], allowed: null });
  const sessionId = over.sessionId ?? `session-${++keys}`;
  return async (name: string, args: object = {}, ctx: Partial<ToolContext> = {}): Promise<Result> => {
    const key = `key-${++keys}`;
    const context = toolContext({ sessionId, callId: `c${keys}`, idempotencyKey: key, ...over, ...ctx });
    const { text, data, code } = await toolbox.run(name, JSON.stringify(args), context);
    return { text, data, code };
  };
}

export type Talk = ReturnType<typeof conversation>;

export const user = (userId: string | null, claims: JsonObject = {}, tenantId = 1) => ({
  principal: { tenantId, userId, claims },
});

/** A shop with one user, and a lamp in several colours, as JSON. @param items by their colour: the price and the stock */
export function lampShop(items: Readonly<Record<string, readonly [string, number]>>, email: string): string {
  const variants = Object.entries(items).map(([id, [price, stock]]) => [
    id,
    { item_id: id, options: { color: id }, available: true, price, stock },
  ]);
  const ann = {
    user_id: 'ann',
    name: { first_name: 'Ann', last_name: 'Berg' },
    address: { address1: '1 Way', address2: '', city: 'Oslo', country: 'NO', state: '', zip: '0150' },
    email,
    orders: [],
    payment_methods: { card: { source: 'credit_card', id: 'card', brand: 'visa', last_four: '1111' } },
  };
  const lamp = { product_id: 'lamp', name: 'Lamp', variants: Object.fromEntries(variants) };
  return JSON.stringify({ products: { lamp }, users: { ann }, orders: {} });
}
