/*
 * What the published schemas of the Universal Commerce Protocol, version 2026-04-08, demand of requests and answers, as far as a shop of
 * the tests has to do with it (https://ucp.dev/2026-04-08/services/shopping/rest.openapi.json and the schemas that it names). What a
 * request may leave out, or must, is `ucp_request` there.
 */
import * as z from 'zod';

export const version = '2026-04-08';

const line = z.strictObject({ item: z.strictObject({ id: z.string() }), quantity: z.int().min(1) });
const updatedLine = z.strictObject({
  ...line.shape,
  id: z.string().optional(),
  parent_id: z.string().optional(),
});
const buyer = z.looseObject({ email: z.string().optional(), phone_number: z.string().optional() });
const shared = {
  context: z.looseObject({ currency: z.string().optional() }).optional(),
  signals: z.looseObject({}).optional(),
  buyer: buyer.optional(),
  discounts: z.strictObject({ codes: z.array(z.string()) }).optional(),
};

/** By operation: only what the schemas name, so that a field of our own is found out. */
export const requests = {
  createCart: z.strictObject({ line_items: z.array(line), ...shared }),
  updateCart: z.strictObject({ id: z.string(), line_items: z.array(updatedLine), ...shared }),
  createCheckout: z.strictObject({ cart_id: z.string().optional(), line_items: z.array(line), ...shared }),
  updateCheckout: z.strictObject({ line_items: z.array(updatedLine), ...shared }),
  search: z.strictObject({
    query: z.string().optional(),
    filters: z
      .strictObject({
        categories: z.array(z.string()).optional(),
        price: z.strictObject({ min: z.int().min(0).optional(), max: z.int().min(0).optional() }).optional(),
      })
      .optional(),
    pagination: z
      .strictObject({ cursor: z.string().optional(), limit: z.int().min(1).optional() })
      .optional(),
  }),
  product: z.strictObject({ id: z.string() }),
};
export type Line = z.infer<typeof updatedLine>;
export type Search = z.infer<typeof requests.search>;

const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const registry = <T extends z.ZodType>(entry: T) =>
  z.record(z.string().regex(/^[a-z][a-z0-9]*(\.[a-z][a-z0-9_]*)+$/), z.array(entry));
const entity = z.looseObject({ version: date, spec: z.url().optional(), schema: z.url().optional() });
const metadata = z.looseObject({
  version: date,
  status: z.literal('success').optional(),
  capabilities: registry(entity).optional(),
});

const errorMetadata = z.looseObject({ version: date, status: z.literal('error') });
const refusal = z.looseObject({ ucp: errorMetadata });

const minor = z.int().min(0);
const money = z.looseObject({ amount: minor, currency: z.string().regex(/^[A-Z]{3}$/) });
const total = z.looseObject({
  type: z.string(),
  amount: z.int(),
  display_text: z.string().optional(),
});
const totals = z
  .array(total)
  .refine(
    (all) => ['subtotal', 'total'].every((type) => all.filter((one) => one.type === type).length === 1),
    'there is one subtotal, and one total',
  );
const message = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('error'),
    code: z.string(),
    content: z.string(),
    severity: z.enum(['recoverable', 'requires_buyer_input', 'requires_buyer_review', 'unrecoverable']),
  }),
  z.looseObject({ type: z.literal('warning'), code: z.string(), content: z.string() }),
  z.looseObject({ type: z.literal('info'), code: z.string().optional(), content: z.string() }),
]);
const item = z.looseObject({ id: z.string(), title: z.string(), price: minor });
const lineAnswer = z.looseObject({
  id: z.string(),
  item,
  quantity: z.int().min(1),
  totals: z.array(total),
  parent_id: z.string().optional(),
});
const applied = z.looseObject({ code: z.string().optional(), title: z.string(), amount: minor });

const cart = z.looseObject({
  ucp: metadata,
  id: z.string(),
  line_items: z.array(lineAnswer),
  buyer: buyer.optional(),
  currency: z.string(),
  totals,
  messages: z.array(message).optional(),
  continue_url: z.url().optional(),
  discounts: z
    .looseObject({ codes: z.array(z.string()).optional(), applied: z.array(applied).optional() })
    .optional(),
});

const description = z
  .looseObject({ plain: z.string().optional(), html: z.string().optional(), markdown: z.string().optional() })
  .refine((formats) => Object.keys(formats).length > 0, 'it has one format, or more');
const product = z.looseObject({
  id: z.string(),
  title: z.string(),
  description,
  price_range: z.looseObject({ min: money, max: money }),
  categories: z.array(z.looseObject({ value: z.string(), taxonomy: z.string().optional() })).optional(),
  rating: z.looseObject({ value: z.number(), scale_max: z.number() }).optional(),
  variants: z
    .array(
      z.looseObject({
        id: z.string(),
        title: z.string(),
        description,
        price: money,
        availability: z
          .looseObject({ available: z.boolean().optional(), status: z.string().optional() })
          .optional(),
        selected_options: z.array(z.looseObject({ name: z.string(), label: z.string() })).optional(),
      }),
    )
    .min(1),
});

/** By what is answered. */
export const answers = {
  error: z.strictObject({
    ucp: errorMetadata,
    messages: z.array(message).min(1),
    continue_url: z.url().optional(),
  }),
  cart,
  checkout: cart.extend({
    // Carts and orders need no payment handlers; a checkout names them, be it none.
    ucp: metadata.extend({ payment_handlers: registry(entity) }),
    status: z.enum([
      'incomplete',
      'requires_escalation',
      'ready_for_complete',
      'complete_in_progress',
      'completed',
      'canceled',
    ]),
    links: z.array(z.looseObject({ type: z.string(), url: z.url() })),
    order: z.looseObject({ id: z.string(), permalink_url: z.url() }).optional(),
  }),
  order: z.looseObject({
    ucp: metadata,
    id: z.string(),
    checkout_id: z.string(),
    permalink_url: z.url(),
    line_items: z.array(
      lineAnswer.extend({
        quantity: z.looseObject({ total: z.int().min(0), fulfilled: z.int().min(0) }),
        status: z.enum(['processing', 'partial', 'fulfilled', 'removed']),
      }),
    ),
    fulfillment: z.looseObject({
      events: z
        .array(
          z.looseObject({
            id: z.string(),
            occurred_at: z.iso.datetime({ offset: true }),
            type: z.string(),
            line_items: z.array(z.looseObject({ id: z.string(), quantity: z.int().min(1) })),
            tracking_number: z.string().optional(),
          }),
        )
        .optional(),
    }),
    currency: z.string(),
    totals,
  }),
  search: z.looseObject({
    ucp: metadata,
    products: z.array(product),
    pagination: z
      .looseObject({
        cursor: z.string().optional(),
        has_next_page: z.boolean().optional(),
        total_count: z.int().min(0).optional(),
      })
      .optional(),
  }),
  product: z.looseObject({ ucp: metadata, product }),
  profile: z.looseObject({
    ucp: metadata.extend({
      // Of a business, each transport but the embedded one has an endpoint.
      services: registry(entity.extend({ transport: z.enum(['rest', 'mcp', 'a2a']), endpoint: z.url() })),
      payment_handlers: registry(entity),
      supported_versions: z.record(date, z.url()).optional(),
    }),
  }),
};
export type Answer = keyof typeof answers;

/** What is wrong with an answer; null for one that is as the schemas say. */
export function problemOf(kind: Answer, json: unknown): string | null {
  const isError = refusal.safeParse(json).success;
  const { error } = answers[isError ? 'error' : kind].safeParse(json);
  return error ? z.prettifyError(error) : null;
}
