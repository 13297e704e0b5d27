import * as z from 'zod/mini';
import { defaultShopFile } from '../enums.ts';
import { field, group } from './field.ts';
import { count, headers, positive, text } from './values.ts';

/** What a backend may be asked for: the methods of `ShopApi`. */
const shopOperations = [
  'searchProducts',
  'product',
  'findCustomer',
  'order',
  'orders',
  'changeOrder',
  'changeAddress',
  'orderOf',
  'cart',
  'changeCart',
  'checkout',
] as const;

const address = z.url({ protocol: /^https?$/ });

/** Every `{name}` in `path`, `query` and `body` is a field of what is asked for. */
const operation = z.strictObject({
  method: z.optional(z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])),
  path: z.string().check(z.startsWith('/')),
  query: z.optional(z.record(z.string(), z.string())),
  /** JSON, with `{name}` as whole strings. Default for what changes something: all that is asked for. */
  body: z.optional(z.unknown()),
  /** The path in the answer to what is meant: `data.order`. Default: all of it. */
  at: z.optional(z.string()),
  /** By field of the model, the path in the answer: `{"id": "sku"}`. Default: the answer has the fields of the model; else name all. */
  fields: z.optional(z.record(z.string(), z.string())),
});

const requests = {
  /**
   * Sent with each request; `{name}` is a claim of the user's token, and a header with a claim that the user does not have is left out.
   * Added to `authorization: Bearer {shopCredential}`.
   */
  headers: z.optional(headers),
  /** Of one attempt, in milliseconds. Default 10,000. */
  timeoutMs: z.optional(positive),
  /** Attempts of a call. A change is repeated under its key. Default 3. */
  attempts: z.optional(count),
};

const http = z.strictObject({
  /** An address without a path, or with the beginning of one. */
  baseUrl: address,
  operations: z.partialRecord(z.enum(shopOperations), operation),
  /** The header that carries the key of a change. Default `idempotency-key`. */
  keyHeader: z.optional(text),
  ...requests,
});

/** On this machine a shop may be tried without a certificate. */
const secure = address.check(
  z.refine(
    (url) => /^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$))/.test(url),
    'expected an address that begins with https://',
  ),
);

const ucp = z.strictObject({
  /** The address of the shop, whose profile is at `/.well-known/ucp`. */
  url: secure,
  /** The address of the profile of your own platform, which the protocol asks for with every request. */
  profile: secure,
  /** The address of its API, when that is on another host than `url`: else credentials do not go there. */
  endpoint: z.optional(secure),
  /** Whether it has the capability `dev.ucp.shopping.order`: then there is `order_query`. Default false. */
  orders: z.optional(z.boolean()),
  ...requests,
});

export const shop = withOneBackend(
  group('A [shop](shop.md) behind the tools of an assistant; without this group there are no shop tools.', {
    file: field(text, {
      text: 'The file of the demo shop, and of the tools’ own data about conversations, relative to the workspace. `:memory:` keeps nothing after the process ends.',
      default: defaultShopFile,
    }),
    currency: field(text, {
      text: 'The currency of the shop, by ISO 4217.',
      default: 'USD',
    }),
    staffAbove: field(text, {
      text: 'The amount above which staff, too, must approve the change of an order, as a decimal.',
      defaultText: 'none',
      example: '500.00',
    }),
    checkoutPage: field(text, {
      text: 'The page of the demo shop where customers pay; `{id}` stands for the checkout.',
      defaultText: 'a page of this machine',
      example: 'https://shop.example/checkout/{id}',
    }),
    http: field(http, {
      text: '[Your own shop, over HTTP](shop.md#your-own-shop-over-http), instead of the demo shop.',
      defaultText: 'none: the demo shop',
      example: {
        baseUrl: 'https://shop.example/api',
        operations: { searchProducts: { path: '/items', query: { q: '{words}', page: '{page}' } } },
      },
    }),
    ucp: field(ucp, {
      text: 'A shop that speaks the [Universal Commerce Protocol](shop.md#a-shop-that-speaks-the-universal-commerce-protocol), instead of the demo shop.',
      defaultText: 'none: the demo shop',
      example: { url: 'https://shop.example', profile: 'https://assistant.example/.well-known/ucp' },
    }),
  }),
);

/** What is for the demo shop, or for another backend, would be ignored. */
function withOneBackend<T extends { schema: z.ZodMiniObject }>(shop: T): T {
  return {
    ...shop,
    schema: shop.schema.check(
      z.refine(
        ({ http, ucp, checkoutPage }) =>
          [http, ucp, checkoutPage].filter((it) => it !== undefined).length < 2,
        'expected one of http, ucp and, for the demo shop, checkoutPage',
      ),
    ),
  };
}
