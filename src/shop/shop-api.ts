import type { Principal } from '../protocol/tool.ts';
import type {
  Address,
  Cart,
  CartChange,
  Checkout,
  Customer,
  Order,
  OrderChange,
  Product,
  ProductPage,
  ProductQuery,
} from './models.ts';

/** Who asks, and in which conversation. The token or the host says so, never the model. */
export interface ShopCall {
  principal: Principal;
  sessionId: string;
  signal: AbortSignal;
}

/** A call that changes something. A repeat with the same key gets the first answer and changes nothing. */
export interface ShopWrite extends ShopCall {
  key: string;
  /** Empty if the customer acts on a page of the shop. */
  runId: string;
  callId: string;
}

export type CustomerQuery =
  | { by: 'id'; customerId: string }
  | { by: 'email'; email: string }
  | { by: 'name'; firstName: string; lastName: string; zip: string };

/**
 * A shop, as the tools of an assistant use it. The tools decide who may see and change what. A shop that changes orders itself, as the
 * demo shop does, checks the rules again before it writes.
 *
 * Methods that change something throw {@link ShopDenied} when a rule forbids it.
 */
export interface ShopApi {
  searchProducts(query: ProductQuery, call: ShopCall): Promise<ProductPage>;
  /** By its id, or by that of one of its variants. */
  product(id: string, call: ShopCall): Promise<Product | null>;
  findCustomer(query: CustomerQuery, call: ShopCall): Promise<Customer | null>;
  order(id: string, call: ShopCall): Promise<Order | null>;
  /** Newest first, where the shop knows. */
  orders(customerId: string, call: ShopCall): Promise<Order[]>;
  changeOrder(change: OrderChange, customerId: string, write: ShopWrite): Promise<Order>;
  changeAddress(address: Address, customerId: string, write: ShopWrite): Promise<Customer>;
  /** The cart of the user of the token, or of the session if there is no user. */
  cart(call: ShopCall): Promise<Cart>;
  changeCart(change: CartChange, write: ShopWrite): Promise<Cart>;
  /** Creates a link to the page where the customer pays for the cart. */
  checkout(write: ShopWrite): Promise<Checkout>;
  /** The order that the customer paid for on the page of a checkout, for the report; null while there is none. Left out if the shop reports orders itself. */
  orderOf?(checkoutId: string, call: ShopCall): Promise<string | null>;
}

/** The operations of a shop. */
export type ShopOperation = keyof ShopApi;

/** Whose orders to show in a shop without customers: the claim of the token, else its user, else this conversation. */
export function callerOf({ principal: { claims, userId }, sessionId }: ShopCall): string {
  return typeof claims.customerId === 'string' ? claims.customerId : (userId ?? `session ${sessionId}`);
}
