import { describe, expect, it } from 'vitest';
import { conversation, filledShop, parsedFixture, type Result } from './support.ts';

interface Search {
  query: { product: string; product_id: string; options?: object; available?: boolean; max_price?: number };
  expect: { item_ids: string[]; cheapest: string | null };
}
interface Lookup {
  tool: 'find_user_id_by_email' | 'find_user_id_by_name_zip' | 'get_order_details';
  arguments: Record<string, string>;
  expect:
    | null
    | string
    | { order_id: string; user_id: string; status: string; item_ids: string[]; total: number };
}

const searches = parsedFixture<Search[]>('product_search.json');
const lookups = parsedFixture<Lookup[]>('lookups.json');
const db = parsedFixture<{
  orders: Record<string, { user_id: string }>;
  users: Record<string, { email: string }>;
}>('db.json');
const idsOf = ({ data }: Result) => data.items.map((it: { variant: { id: string } }) => it.variant.id);

describe('the shop of the fixture', () => {
  it.each([
    ['by its id', ({ product_id: productId }: Search['query']) => ({ productId })],
    ['by its name', ({ product: words }: Search['query']) => ({ words })],
  ])(`finds what all ${searches.length} searches ask for, the product %s`, async (_, productOf) => {
    const talk = conversation(filledShop());
    for (const { query, expect: wanted } of searches) {
      const { options, available, max_price: maxPrice } = query;
      const found = await talk('product_search', {
        ...productOf(query),
        ...(options && { options }),
        ...(available !== undefined && { available }),
        ...(maxPrice !== undefined && { maxPrice }),
        sort: 'price',
        pageSize: 50,
      });
      expect(idsOf(found).toSorted(), JSON.stringify(query)).toEqual(wanted.item_ids.toSorted());
      expect(idsOf(found)[0] ?? null, JSON.stringify(query)).toBe(wanted.cheapest);
    }
  });

  it(`answers all ${lookups.length} lookups: not found is a result`, async () => {
    const shop = filledShop();
    for (const { tool, arguments: args, expect: wanted } of lookups) {
      const talk = conversation(shop);
      if (tool === 'get_order_details') {
        const { email } = db.users[db.orders[args.order_id ?? '']?.user_id ?? ''] ?? {};
        await talk('customer_lookup', { email });
        const { data, text } = await talk('order_query', { orderId: args.order_id });
        if (wanted === null) expect(text).toMatch(/^NOT_FOUND: /);
        else
          expect({
            order_id: data.order.id,
            user_id: data.order.customerId,
            status: data.order.status,
            item_ids: data.order.items.map((it: { itemId: string }) => it.itemId),
            total: data.order.total.minor / 100,
          }).toEqual(wanted);
        continue;
      }
      const { email, first_name: firstName, last_name: lastName, zip } = args;
      const found = await talk('customer_lookup', email ? { email } : { firstName, lastName, zip });
      if (wanted === null) expect(found.text).toMatch(/^NOT_FOUND: /);
      else expect(found.data.customer.id).toBe(wanted);
    }
  });
});
