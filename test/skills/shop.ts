import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { defineTool, ToolFailure } from '../../src/index.ts';

interface Variant {
  item_id: string;
  options: Record<string, string>;
  available: boolean;
  price: number;
}

interface Order {
  order_id: string;
  status: string;
  items: { name: string; item_id: string; price: number }[];
  fulfillments: { tracking_id: string[] }[];
}

const { products, orders } = JSON.parse(
  readFileSync(new URL('../fixtures/shop/db.json', import.meta.url), 'utf8'),
) as {
  products: Record<string, { name: string; variants: Record<string, Variant> }>;
  orders: Record<string, Order>;
};

/** Every variant that the shop has. */
export const variants = Object.values(products).flatMap(({ name, variants }) =>
  Object.values(variants).map((variant) => ({ name, ...variant })),
);

/** The three tools of a shop, over real goods and orders, and a cart. */
export function shopTools() {
  const cart = new Map<string, number>();
  const lines = () =>
    [...cart].map(([item_id, quantity]) => {
      const { name = '', price = 0 } = variants.find((variant) => variant.item_id === item_id) ?? {};
      return { item_id, name, quantity, price };
    });
  const search = defineTool({
    name: 'product_search',
    description: 'Variants of a product that are in stock, cheapest first.',
    parameters: z.strictObject({ query: z.string(), max_price: z.number().optional() }),
    sideEffect: 'readonly',
    run: ({ query, max_price = Number.POSITIVE_INFINITY }) => {
      const words = query.toLowerCase().split(/\s+/);
      return variants
        .filter(({ available, price }) => available && price <= max_price)
        .filter(({ name, options }) => {
          const text = `${name} ${Object.values(options).join(' ')}`.toLowerCase();
          return words.every((word) => text.includes(word));
        })
        .sort((a, b) => a.price - b.price);
    },
  });
  const order = defineTool({
    name: 'order_query',
    description: 'An order by its number.',
    parameters: z.strictObject({ order_id: z.string() }),
    sideEffect: 'readonly',
    run: ({ order_id }) => {
      const found = orders[order_id];
      if (!found) throw new ToolFailure('ORDER_NOT_FOUND', `there is no order ${order_id}`);
      return found;
    },
  });
  const manage = defineTool({
    name: 'cart_manager',
    description: 'Shows the cart, or puts so many of an item into it.',
    parameters: z.strictObject({
      action: z.enum(['show', 'put']),
      item_id: z.string().optional(),
      quantity: z.int().min(0).optional(),
    }),
    sideEffect: ({ action }) => (action === 'show' ? 'readonly' : 'unsafe'),
    run: ({ action, item_id = '', quantity = 1 }) => {
      if (action === 'put') cart.set(item_id, quantity);
      const total = lines().reduce((sum, { price, quantity }) => sum + price * quantity, 0);
      return { items: lines(), total: Number(total.toFixed(2)) };
    },
  });
  return { define: [search, order, manage], lines };
}
