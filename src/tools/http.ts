/** Requests that tools may make. */
export { Egress } from './http/egress.ts';
export { checkedUrl, postMessage, retryDelay, type WebhookParts, webhookKeys } from './http/webhook.ts';
