/** Requests that tools may make. */
export { Egress } from './http/egress.ts';
export { type Answer, type ConnectorOptions, exchange, openChecked, type Sent } from './http/exchange.ts';
export { single } from './http/read-body.ts';
export { checkedUrl, postMessage, retryDelay, type Webhook, type WebhookParts } from './http/webhook.ts';
