import type { ModelPrice } from '../../ports/chat-model.ts';

/** The demo calls no provider. */
export const demoPrice: ModelPrice = { inputUsd: 0, outputUsd: 0 };
