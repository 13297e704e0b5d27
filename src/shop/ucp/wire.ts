/**
 * What the Universal Commerce Protocol says on its REST binding, as far as it is read here.
 *
 * @see https://ucp.dev/2026-04-08/specification/overview
 */
import * as z from '../../text/schema-kinds.ts';

/** The one version that is spoken. */
export const ucpVersion = '2026-04-08';
export const shoppingService = 'dev.ucp.shopping';

const id = z.string().min(1).max(200);
const price = z.looseObject({ amount: z.int(), currency: z.string() });
const totals = z.array(z.looseObject({ type: z.string(), amount: z.int() }));
const messages = z.array(z.looseObject({ code: z.string().optional(), content: z.string() })).optional();
const item = z.looseObject({ id, title: z.string(), price: z.int() });

const lineItem = z.looseObject({
  id,
  item,
  quantity: z.int().min(1),
  totals,
  parent_id: z.string().optional(),
});

const discounts = z.looseObject({
  applied: z.array(z.looseObject({ code: z.string().optional(), amount: z.int() })).optional(),
});

export const cartReply = z.looseObject({
  id,
  line_items: z.array(lineItem),
  currency: z.string(),
  totals,
  discounts: discounts.optional(),
  messages,
});
export type CartReply = z.infer<typeof cartReply>;

export const checkoutReply = z.looseObject({
  ...cartReply.shape,
  status: z.string(),
  continue_url: z.string().optional(),
  order: z.looseObject({ id }).optional(),
});

const variant = z.looseObject({
  id,
  price,
  availability: z
    .looseObject({ available: z.boolean().optional(), status: z.string().optional() })
    .optional(),
  selected_options: z.array(z.looseObject({ name: z.string(), label: z.string() })).optional(),
});
export type VariantReply = z.infer<typeof variant>;

const productReply = z.looseObject({
  id,
  title: z.string(),
  brand: z.string().optional(),
  tags: z.array(z.string()).optional(),
  categories: z.array(z.looseObject({ value: z.string(), taxonomy: z.string().optional() })).optional(),
  rating: z
    .looseObject({ value: z.number(), scale_max: z.number(), scale_min: z.number().optional() })
    .optional(),
  variants: z.array(variant),
});
export type ProductReply = z.infer<typeof productReply>;

export const searchReply = z.looseObject({
  products: z.array(productReply),
  pagination: z
    .looseObject({
      cursor: z.string().optional(),
      has_next_page: z.boolean().optional(),
      total_count: z.int().min(0).optional(),
    })
    .optional(),
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
      quantity: z.looseObject({ total: z.int().min(0), fulfilled: z.int().min(0) }),
      status: z.string(),
    }),
  ),
  fulfillment: z.looseObject({
    events: z
      .array(
        z.looseObject({
          occurred_at: z.string(),
          type: z.string(),
          line_items: somePieces,
          tracking_number: z.string().optional(),
        }),
      )
      .optional(),
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
      spec: z.string().optional(),
      transport: z.string().optional(),
      endpoint: z.string().optional(),
    }),
  ),
);

export const profileReply = z.looseObject({
  ucp: z.looseObject({
    version: z.string(),
    services: entries,
    capabilities: entries.optional(),
    supported_versions: z.record(z.string(), z.string()).optional(),
  }),
});

/** A business outcome that is none: HTTP 200 with a status. */
export const errorReply = z.looseObject({
  ucp: z.looseObject({ status: z.literal('error') }),
  messages,
});
