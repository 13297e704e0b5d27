import { DetentError, messageOf } from '../../protocol/error.ts';
import { checkedUrl, Egress, webhookKeys } from '../../tools/http.ts';
import type { DetentOptions } from './detent-options.ts';

/**
 * Checks what the webhook of `notify` needs, as far as that can be known before it is called. A Detent that only reads sends
 * nothing, and needs no secret.
 *
 * @throws DetentError `INVALID_CONFIG`.
 */
export function checkNotify({ notify, webhooks, env = process.env, readonly }: DetentOptions): void {
  if (!notify || typeof notify === 'function') return;
  const { url, secretEnv } = notify;
  const checks: [string, () => unknown][] = [
    ['notify.url', () => checkedUrl(noticeEgress({ webhooks }), url)],
    ['notify.secretEnv', () => secretEnv === undefined || readonly || webhookKeys(env, secretEnv)],
  ];
  for (const [field, check] of checks)
    try {
      check();
    } catch (error) {
      throw new DetentError('INVALID_CONFIG', `${field}: ${messageOf(error)}`);
    }
}

/** What notices may reach. */
export function noticeEgress({ webhooks }: Pick<DetentOptions, 'webhooks'>): Egress {
  return new Egress({ allow: webhooks?.allowHosts ?? [] }, 'webhooks.allowHosts');
}
