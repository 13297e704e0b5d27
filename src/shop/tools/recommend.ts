import { ownArguments, type Tool } from '../../protocol/tool.ts';
import type { FoundItem } from '../models.ts';
import { requireCustomer } from './identity.ts';
import { named, type ShopParts, shopTool } from './shop-tool.ts';
import { itemLine } from './words.ts';

const parameters = ownArguments(
  {},
  { count: { type: 'integer', minimum: 1, maximum: 10, description: 'Default 5' } },
);
/** Products of own orders that are looked at, latest first. */
const maxBought = 5;

/** `recommend`: what goes with the customer's own orders. */
export function recommendTool(parts: ShopParts): Tool {
  return shopTool(parts, {
    name: 'recommend',
    description:
      "Items that are like those of the customer's own orders: of the same category or product, available, and not ordered before.",
    parameters,
    sideEffect: 'readonly',
    async answer({ count = 5 }, call) {
      const customer = await requireCustomer(parts, call);
      const orders = await parts.api.orders(customer.id, call);
      const own = orders.filter(({ customerId }) => customerId === customer.id);
      const bought = own.flatMap(({ items }) => items);
      const ids = [...new Set(bought.map(({ productId }) => productId))].slice(0, maxBought);
      const had = new Set(bought.map(({ itemId }) => itemId));
      const found: { because: string; item: FoundItem }[] = [];
      for (const productId of ids) {
        const product = await parts.api.product(productId, call);
        const wanted = product?.category ? { category: product.category } : { productId };
        const { items } = await parts.api.searchProducts(
          { ...wanted, isAvailable: true, sort: 'rating', page: 1, pageSize: 20 },
          call,
        );
        const because = product?.name ?? bought.find((it) => it.productId === productId)?.name ?? productId;
        for (const item of items.filter(({ variant }) => !had.has(variant.id)).slice(0, 2)) {
          had.add(item.variant.id);
          found.push({ because, item });
        }
      }
      const recommended = found.slice(0, count);
      return {
        text:
          recommended.map(({ because, item }) => `${itemLine(item)}: like ${named(because)}`).join('\n') ||
          "Nothing goes with the customer's orders.",
        data: { recommended },
      };
    },
  });
}
