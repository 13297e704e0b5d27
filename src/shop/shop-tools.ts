import type { Tool } from '../protocol/tool.ts';
import { cartManagerTool } from './tools/cart-manager.ts';
import { checkoutLinkTool } from './tools/checkout-link.ts';
import { customerLookupTool } from './tools/customer-lookup.ts';
import { orderChangeTool } from './tools/order-change.ts';
import { orderQueryTool } from './tools/order-query.ts';
import { productGetTool } from './tools/product-get.ts';
import { productSearchTool } from './tools/product-search.ts';
import { recommendTool } from './tools/recommend.ts';
import type { ShopParts } from './tools/shop-tool.ts';
import { transferToHumanTool } from './tools/transfer-to-human.ts';

/** The tools of an assistant in a shop. */
export function shopTools(parts: ShopParts): Tool[] {
  return [
    productSearchTool(parts),
    productGetTool(parts),
    orderQueryTool(parts),
    cartManagerTool(parts),
    checkoutLinkTool(parts),
    orderChangeTool(parts),
    customerLookupTool(parts),
    recommendTool(parts),
    transferToHumanTool(parts),
  ];
}
