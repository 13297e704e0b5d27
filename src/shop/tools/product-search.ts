import { ownArguments, type Tool } from '../../protocol/tool.ts';
import { fields } from '../fields.ts';
import { type FoundItem, productSorts } from '../models.ts';
import { digitsOf, type Money } from '../money.ts';
import { deny } from '../rules/denied.ts';
import type { ShopCall } from '../shop-api.ts';
import { type ShopParts, shopTool } from './shop-tool.ts';
import { itemLine } from './words.ts';

const maxPageSize = 50;
/** Lines of a result: the data has all of the page. */
const maxLines = 20;

const parameters = ownArguments(
  {},
  {
    words: { type: 'string', maxLength: 500, description: 'What is looked for, in any language' },
    productId: { type: 'string', maxLength: 200 },
    options: {
      type: 'object',
      additionalProperties: { type: 'string', maxLength: 500 },
      description: 'Option values that the item must have: {"color": "blue"}',
    },
    available: { type: 'boolean' },
    category: { type: 'string', maxLength: 200 },
    minPrice: { type: 'number', minimum: 0, maximum: 1e9 },
    maxPrice: { type: 'number', minimum: 0, maximum: 1e9 },
    minRating: { type: 'number', minimum: 0, maximum: 5 },
    sort: { type: 'string', enum: productSorts, description: 'Default: relevance, and price without words' },
    page: { type: 'integer', minimum: 1, maximum: 1_000 },
    pageSize: { type: 'integer', minimum: 1, maximum: maxPageSize, description: 'Default 20' },
    compare: {
      type: 'array',
      items: fields.id,
      minItems: 2,
      maxItems: 5,
      description: 'Instead of all other fields: ids of items or products to set side by side',
    },
  },
);

/** `product_search`: items by words and by what they are like, or some of them side by side. */
export function productSearchTool(parts: ShopParts): Tool {
  return shopTool(parts, {
    name: 'product_search',
    description:
      'Searches the items of the shop, or compares some. Prices, stock and features come from its results alone. ' +
      'An item is one choice of the options of a product; only item ids go into the cart and into changes of orders.',
    parameters,
    sideEffect: 'readonly',
    async answer(
      { compare, words, minPrice, maxPrice, available, sort, page = 1, pageSize = 20, ...rest },
      call,
    ) {
      if (compare) return compared(parts, compare, call);
      const currency = parts.currency(call.principal.tenantId);
      const { items, total } = await parts.api.searchProducts(
        {
          ...rest,
          words,
          isAvailable: available,
          minPrice: amountOf(minPrice, currency, Math.ceil),
          maxPrice: amountOf(maxPrice, currency, Math.floor),
          sort: sort ?? (words ? 'relevance' : 'price'),
          page,
          pageSize,
        },
        call,
      );
      if (items.length === 0)
        return {
          text: total === 0 ? 'No item of the shop fits.' : `There is no page ${page}.`,
          data: { items, total, page },
        };
      const shown = items.slice(0, maxLines).map(itemLine);
      const from = (page - 1) * pageSize;
      const range = `${from + 1} to ${from + shown.length} of ${total}`;
      return {
        text: [`Items ${range}:`, ...shown].join('\n'),
        data: { items, total, page },
      };
    },
  });
}

async function compared({ api }: ShopParts, ids: readonly string[], call: ShopCall) {
  const found = await Promise.all(ids.map(async (id) => ({ id, product: await api.product(id, call) })));
  const missing = found.flatMap(({ id, product }) => (product ? [] : id));
  if (missing.length > 0) deny('NOT_FOUND', `the shop has no product or item ${missing.join(', ')}`);
  const items = found.flatMap(({ id, product }): FoundItem[] => {
    if (product === null) return [];
    const { id: productId, name, category, rating, sales, variants } = product;
    const cheapest = variants.toSorted((a, b) => a.price.minor - b.price.minor);
    const variant =
      variants.find((it) => it.id === id) ?? cheapest.find((it) => it.isAvailable) ?? cheapest[0];
    return variant ? [{ productId, name, category, rating, sales, variant }] : [];
  });
  return { text: items.map(itemLine).join('\n'), data: { compared: items } };
}

function amountOf(
  value: number | undefined,
  currency: string,
  round: (minor: number) => number,
): Money | undefined {
  if (value === undefined) return undefined;
  // 4.35 * 100 is 434.99999999999994.
  const minor = Number((value * 10 ** digitsOf(currency)).toFixed(6));
  return { minor: round(minor), currency };
}
