import type { Tool } from '../protocol/tool.ts';
import type { ShopOperation } from './shop-api.ts';
import { cartManagerTool } from './tools/cart-manager.ts';
import { checkoutLinkTool } from './tools/checkout-link.ts';
import { customerLookupTool } from './tools/customer-lookup.ts';
import { orderChangeTool } from './tools/order-change.ts';
import { orderQueryTool } from './tools/order-query.ts';
import { productGetTool } from './tools/product-get.ts';
import { productSearchTool } from './tools/product-search.ts';
import { recommendTool } from './tools/recommend.ts';
import { offers, type ShopParts } from './tools/shop-tool.ts';
import { transferToHumanTool } from './tools/transfer-to-human.ts';

const makers: readonly (readonly [make: (parts: ShopParts) => Tool, ...needs: readonly ShopOperation[]])[] = [
  [productSearchTool, 'searchProducts'],
  [productGetTool, 'product'],
  [orderQueryTool, 'order'],
  [cartManagerTool, 'cart', 'changeCart'],
  [checkoutLinkTool, 'checkout'],
  [orderChangeTool, 'findCustomer', 'order', 'changeOrder'],
  [customerLookupTool, 'findCustomer'],
  [recommendTool, 'findCustomer', 'orders', 'searchProducts'],
  [transferToHumanTool],
];

/** The tools of an assistant in a shop: those whose operations it offers. */
export function shopTools(parts: ShopParts): Tool[] {
  return makers.flatMap(([make, ...needs]) => (needs.every((it) => offers(parts, it)) ? make(parts) : []));
}
