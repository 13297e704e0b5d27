import { ownArguments, type Tool } from '../../protocol/tool.ts';
import { fields } from '../fields.ts';
import { deny } from '../rules/denied.ts';
import { named, type ShopParts, shopTool } from './shop-tool.ts';
import { itemLine } from './words.ts';

const parameters = ownArguments({
  id: { ...fields.id, description: 'Of a product, or of one of its items' },
});
const maxLines = 40;

/** `product_get`: a product with all its items. */
export function productGetTool(parts: ShopParts): Tool {
  return shopTool(parts, {
    name: 'product_get',
    description:
      'Shows a product of the shop with all its items: their options, prices and what is available.',
    parameters,
    sideEffect: 'readonly',
    async answer({ id }, call) {
      const product =
        (await parts.api.product(id, call)) ??
        deny('NOT_FOUND', `the shop has no product or item ${JSON.stringify(id)}`);
      const { id: productId, name, category, rating, sales, variants } = product;
      const lines = variants
        .slice(0, maxLines)
        .map((variant) => itemLine({ productId, name, category, rating, sales, variant }));
      const more =
        variants.length > maxLines ? [`and ${variants.length - maxLines} more: use product_search`] : [];
      return {
        text: [`${named(name)} (product ${productId}):`, ...lines, ...more].join('\n'),
        data: { product },
      };
    },
  });
}
