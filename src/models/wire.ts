/** How a request reaches a provider. */
export { hostModel } from './host-model.ts';
export { createOpenAIChat } from './openai/chat.ts';
export { proxyOf } from './wire/proxy.ts';
export { readText, send } from './wire/transport.ts';
