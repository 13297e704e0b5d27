/** `detent/shop`: a shop behind the tools of an assistant. */
export type { DemoShop } from './demo/demo-shop.ts';
export type { Imported, ImportOptions } from './demo/import-shop.ts';
export type { HttpOperation, HttpShopOptions } from './http/http-shop.ts';
export type * from './models.ts';
export type { Money } from './money.ts';
export {
  type AnyShop,
  type HttpShopSettings,
  type OpenShop,
  openHttpShop,
  openShop,
  openUcpShop,
  type ShopOptions,
  type ShopSettings,
  type UcpShopSettings,
} from './open-shop.ts';
export { ShopDenied } from './rules/denied.ts';
export type { CustomerQuery, ShopApi, ShopCall, ShopOperation, ShopWrite } from './shop-api.ts';
export type { UcpShopOptions } from './ucp/ucp-requests.ts';
