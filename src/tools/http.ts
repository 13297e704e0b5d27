/** Requests that tools may make. */
export { Egress } from './http/egress.ts';
export { checkedUrl, postMessage, retryDelay, type WebhookParts } from './http/webhook.ts';
