/** How a request reaches a provider. */
export { proxyOf } from './wire/proxy.ts';
export { readText, send } from './wire/transport.ts';
