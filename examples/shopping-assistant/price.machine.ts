import type { DemoShop } from 'detent/shop';
import { step, workflow } from 'detent/workflow';
import { setup } from 'xstate';
import { z } from 'zod';

const Watch = z.object({ itemId: z.string(), below: z.int() });
type Watch = z.infer<typeof Watch>;

export const Look = z.object({
  itemId: z.string(),
  name: z.string(),
  price: z.object({ minor: z.int(), currency: z.string() }),
  isReached: z.boolean(),
});
type Look = z.infer<typeof Look>;

/** One look at a price: a job starts it every so often, and delivers what it saw. */
export function priceWorkflow(shop: DemoShop) {
  const chart = setup({
    types: { input: {} as Watch, context: {} as Watch, output: {} as Look },
    actors: {
      look: step({
        sideEffect: 'readonly',
        async run({ itemId, below }: Watch, { signal }): Promise<Look> {
          const principal = { tenantId: 1, userId: null, claims: {} };
          const product = await shop.product(itemId, { principal, sessionId: '', signal });
          const found = product?.variants.find(({ id }) => id === itemId);
          if (!product || !found) throw new Error(`the shop no longer has ${itemId}`);
          return { itemId, name: product.name, price: found.price, isReached: found.price.minor <= below };
        },
      }),
    },
  }).createMachine({
    id: 'price',
    version: '1',
    description: 'Looks at a price once.',
    context: ({ input }) => input,
    output: ({ event }) => event.output as Look,
    initial: 'looking',
    states: {
      looking: {
        invoke: { id: 'look', src: 'look', input: ({ context }) => context, onDone: 'seen', onError: 'gone' },
      },
      seen: { type: 'final', output: ({ event }) => event.output },
      gone: { type: 'final', output: null },
    },
  });
  return workflow(chart, { input: Watch });
}
