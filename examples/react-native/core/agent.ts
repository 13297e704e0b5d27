import { type ChatModel, type Core, createCore, defineTool, type SqlDriver } from 'detent/core';

/** The cart of the app, which the tool changes. */
export interface Cart {
  add(sku: string, key: string): void;
}

/**
 * The agent of the app. Call it once, and `core.runs.resume()` after it: that continues what an earlier process of the app left.
 */
export function openAgent(storage: SqlDriver, model: ChatModel, cart: Cart): Core {
  return createCore({
    host: { storage, report: (error, runId) => console.warn(`run ${runId}`, error) },
    models: { phone: model },
    model: 'phone/small',
    system: 'You help with shopping. Answer in one sentence.',
    tools: {
      define: [
        defineTool({
          name: 'add_to_cart',
          description: 'Puts a product into the cart.',
          jsonSchema: {
            type: 'object',
            properties: { sku: { type: 'string' } },
            required: ['sku'],
            additionalProperties: false,
          },
          // The cart knows the key, so a second try adds nothing.
          sideEffect: 'idempotent',
          confirm: 'user',
          run({ sku }: { sku: string }, { idempotencyKey }) {
            cart.add(sku, idempotencyKey);
            return `added ${sku}`;
          },
        }),
      ],
    },
  });
}
