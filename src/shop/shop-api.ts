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

/** Who asks, and in which conversation: from the token or the host, never from the model. */
export interface ShopCall {
  principal: Principal;
  sessionId: string;
  signal: AbortSignal;
}

/** A call that changes something. A repeat under its key gets the first answer, and changes nothing. */
export interface ShopWrite extends ShopCall {
  key: string;
  /** Empty for the customer's own act on a page of the shop. */
  runId: string;
  callId: string;
}

export type CustomerQuery =
  | { by: 'id'; customerId: string }
  | { by: 'email'; email: string }
  | { by: 'name'; firstName: string; lastName: string; zip: string };

/**
 * A shop, as the tools of an assistant use it. The tools decide who may see and change what; a shop that changes orders by itself, such
 * as the demo shop, checks the rules again where it writes.
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
  /** That of the user of the token; of the session where there is no user. */
  cart(call: ShopCall): Promise<Cart>;
  changeCart(change: CartChange, write: ShopWrite): Promise<Cart>;
  /** A page of the shop where the customer pays what is in the cart. */
  checkout(write: ShopWrite): Promise<Checkout>;
  /** The order that was paid on the page of a checkout, for the report; null while there is none. Left out where the shop says so itself. */
  orderOf?(checkoutId: string, call: ShopCall): Promise<string | null>;
}

/** What a shop can be asked for. */
export type ShopOperation = keyof ShopApi;

/** Whose orders are meant in a shop that finds no customers: the one that the token names, else its user, else this conversation. */
export function callerOf({ principal: { claims, userId }, sessionId }: ShopCall): string {
  return typeof claims.customerId === 'string' ? claims.customerId : (userId ?? `session ${sessionId}`);
}
