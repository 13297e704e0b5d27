import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openShop } from '../../src/shop/open-shop.ts';
import { inSizes } from '../support/size.ts';
import { type Json, perform } from './interpreter.ts';
import { actionOf, type MadeShop, madeShop, wishes } from './made-shops.ts';
import { contentOf, mapped } from './mapped.ts';
import { conversation, type Result } from './support.ts';

const numRuns = inSizes({ usual: 8, deep: 40, full: 5_000 });
const seed = Number(process.env.DETENT_TEST_SEED ?? 1);

function opened({ json, currency }: MadeShop) {
  const shop = openShop({ file: ':memory:', currency });
  shop.import(json, { tenantId: 1 });
  return shop;
}
const idsOf = ({ data }: Result) => data.items.map((it: Json) => it.variant.id);

describe(`${numRuns} shops of other products, people, currencies and languages`, () => {
  it('are as their file says', async () => {
    await fc.assert(
      fc.asyncProperty(madeShop, async (made) => {
        const shop = opened(made);
        const read = await contentOf(shop, made.data);
        const plainly = structuredClone(made.data);
        for (const product of Object.values(plainly.products) as Json[]) {
          for (const key of ['category', 'rating', 'sales']) delete product[key];
          for (const it of Object.values(product.variants) as Json[]) delete it.stock;
        }
        expect(read).toEqual(plainly);
        shop.close();
      }),
      { numRuns, seed },
    );
  });

  it('find by product, options, price and what is available', async () => {
    await fc.assert(
      fc.asyncProperty(
        madeShop,
        fc.nat(99),
        fc.nat(99),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        async (made, p, v, byName, narrow, cheap) => {
          const shop = opened(made);
          const talk = conversation(shop);
          const all = Object.values(made.data.products) as Json[];
          const product = all[p % all.length] as Json;
          const variants = Object.values(product.variants) as Json[];
          const like = variants[v % variants.length] as Json;
          const options = narrow ? like.options : {};
          const maxPrice = cheap ? like.price * (1 + Number.EPSILON) : undefined;
          const plain = (text: string) => text.normalize('NFKC').trim().toLowerCase();
          const same = byName ? all.filter(({ name }) => plain(name) === plain(product.name)) : [product];
          const fits = same
            .flatMap((it) => Object.values(it.variants) as Json[])
            .filter((it) => it.available && (maxPrice === undefined || it.price <= like.price))
            .filter((it) =>
              Object.entries(options).every(([key, value]) =>
                Object.entries(it.options).some(
                  ([k, had]) => plain(k) === plain(key) && plain(String(had)) === plain(String(value)),
                ),
              ),
            );
          const found = await talk('product_search', {
            ...(byName ? { words: product.name } : { productId: product.product_id }),
            options,
            available: true,
            ...(maxPrice !== undefined && { maxPrice }),
            sort: 'price',
            pageSize: 50,
          });
          expect(found.code, found.text).toBeNull();
          expect(idsOf(found).toSorted()).toEqual(fits.map((it) => it.item_id).toSorted());
          const cheapest = Math.min(...fits.map((it) => it.price));
          if (fits.length > 0)
            expect(fits.find((it) => it.item_id === idsOf(found)[0])?.price).toBe(cheapest);
          shop.close();
        },
      ),
      { numRuns, seed },
    );
  });

  it('identify people', async () => {
    await fc.assert(
      fc.asyncProperty(madeShop, async (made) => {
        const shop = opened(made);
        const users = Object.values(made.data.users) as Json[];
        const plain = (text: string) => text.normalize('NFKC').trim().toLowerCase();
        const key = ({ name, address }: Json) =>
          JSON.stringify([plain(name.first_name), plain(name.last_name), address.zip]);
        for (const it of users) {
          const talk = conversation(shop);
          const isOne = users.filter((other) => key(other) === key(it)).length === 1;
          const found = await talk('customer_lookup', {
            firstName: it.name.first_name,
            lastName: it.name.last_name,
            zip: it.address.zip,
          });
          if (isOne) expect(found.data.customer.id).toBe(it.user_id);
          else expect(found.text).toMatch(/^NOT_FOUND: /);
          const mail = await talk('customer_lookup', { email: it.email });
          expect(mail.data.customer.id).toBe(it.user_id);
          for (const order_id of it.orders) {
            const { data, text } = await talk('order_query', { orderId: order_id });
            expect(
              data.order?.items.map((each: Json) => each.itemId),
              text,
            ).toEqual(made.data.orders[order_id].items.map((each: Json) => each.item_id));
          }
        }
        shop.close();
      }),
      { numRuns, seed },
    );
  });

  it('change as a plain reading of the policy changes them', async () => {
    await fc.assert(
      fc.asyncProperty(madeShop, wishes, async (made, wished) => {
        const shop = opened(made);
        const before = await contentOf(shop, made.data);
        const plainly = structuredClone(before);
        const [person] = Object.values(made.data.users) as Json[];
        const talk = conversation(shop);
        await talk('customer_lookup', { email: person?.email });
        for (const wish of wished) {
          const action = actionOf(plainly, person?.user_id, wish);
          if (!action) continue;
          const trial = structuredClone(plainly);
          let why: unknown = null;
          try {
            perform(trial, action.name, action.arguments);
            Object.assign(plainly, trial);
          } catch (error) {
            why = error;
          }
          const call = mapped(action.name, action.arguments);
          const { text, code } = await talk(call?.tool ?? '', call?.args ?? {});
          expect(code, text).toBeNull();
          expect(text, `${JSON.stringify(action)} ${why}`).toMatch(why === null ? /^Done\./ : /^[A-Z_]+: /);
          expect(await contentOf(shop, made.data)).toEqual(plainly);
        }
        shop.close();
      }),
      { numRuns, seed },
    );
  });
});
