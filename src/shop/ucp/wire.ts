/**
 * What the Universal Commerce Protocol says on its REST binding, as far as it is read here.
 *
 * @see https://ucp.dev/2026-04-08/specification/overview
 */
import * as z from 'zod/mini';
import { id } from '../models.ts';

/** The one version that is spoken. */
export const ucpVersion = '2026-04-08';
export const shoppingService = 'dev.ucp.shopping';

const price = z.looseObject({ amount: z.int(), currency: z.string() });
const totals = z.array(z.looseObject({ type: z.string(), amount: z.int() }));
const messages = z.optional(z.array(z.looseObject({ code: z.optional(z.string()), content: z.string() })));
const item = z.looseObject({ id, title: z.string(), price: z.int() });

const lineItem = z.looseObject({
  id,
  item,
  quantity: z.int().check(z.gte(1)),
  totals,
  parent_id: z.optional(z.string()),
});

const discounts = z.looseObject({
  applied: z.optional(z.array(z.looseObject({ code: z.optional(z.string()), amount: z.int() }))),
});

export const cartReply = z.looseObject({
  id,
  line_items: z.array(lineItem),
  currency: z.string(),
  totals,
  discounts: z.optional(discounts),
  messages,
});
export type CartReply = z.infer<typeof cartReply>;

export const checkoutReply = z.looseObject({
  ...cartReply.shape,
  status: z.string(),
  continue_url: z.optional(z.string()),
  order: z.optional(z.looseObject({ id })),
});

const variant = z.looseObject({
  id,
  price,
  availability: z.optional(
    z.looseObject({ available: z.optional(z.boolean()), status: z.optional(z.string()) }),
  ),
  selected_options: z.optional(z.array(z.looseObject({ name: z.string(), label: z.string() }))),
});
export type VariantReply = z.infer<typeof variant>;

const productReply = z.looseObject({
  id,
  title: z.string(),
  brand: z.optional(z.string()),
  tags: z.optional(z.array(z.string())),
  categories: z.optional(z.array(z.looseObject({ value: z.string(), taxonomy: z.optional(z.string()) }))),
  rating: z.optional(
    z.looseObject({ value: z.number(), scale_max: z.number(), scale_min: z.optional(z.number()) }),
  ),
  variants: z.array(variant),
});
export type ProductReply = z.infer<typeof productReply>;

export const searchReply = z.looseObject({
  products: z.array(productReply),
  pagination: z.optional(
    z.looseObject({
      cursor: z.optional(z.string()),
      has_next_page: z.optional(z.boolean()),
      total_count: z.optional(z.int().check(z.gte(0))),
    }),
  ),
});

export const detailReply = z.looseObject({ product: productReply });

const somePieces = z.array(z.looseObject({ id, quantity: z.int() }));

export const orderReply = z.looseObject({
  id,
  checkout_id: id,
  line_items: z.array(
    z.looseObject({
      id,
      item,
      quantity: z.looseObject({ total: z.int().check(z.gte(0)), fulfilled: z.int().check(z.gte(0)) }),
      status: z.string(),
    }),
  ),
  fulfillment: z.looseObject({
    events: z.optional(
      z.array(
        z.looseObject({
          occurred_at: z.string(),
          type: z.string(),
          line_items: somePieces,
          tracking_number: z.optional(z.string()),
        }),
      ),
    ),
  }),
  currency: z.string(),
  totals,
});
export type OrderReply = z.infer<typeof orderReply>;

const entries = z.record(
  z.string(),
  z.array(
    z.looseObject({
      version: z.string(),
      spec: z.optional(z.string()),
      transport: z.optional(z.string()),
      endpoint: z.optional(z.string()),
    }),
  ),
);

export const profileReply = z.looseObject({
  ucp: z.looseObject({
    version: z.string(),
    services: entries,
    capabilities: z.optional(entries),
    supported_versions: z.optional(z.record(z.string(), z.string())),
  }),
});

/** A business outcome that is none: HTTP 200 with a status. */
export const errorReply = z.looseObject({
  ucp: z.looseObject({ status: z.literal('error') }),
  messages,
});
