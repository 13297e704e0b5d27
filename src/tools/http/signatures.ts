import { createHmac } from 'node:crypto';
import { DetentError } from '../../protocol/error.ts';

const prefix = 'whsec_';
/** Bytes of a key: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
const [minKeyBytes, maxKeyBytes] = [24, 64];

/**
 * The keys of a variable: one, or several between spaces while a secret is replaced.
 *
 * @throws DetentError `WEBHOOK_SECRET_MISSING`, `WEBHOOK_SECRET_INVALID`; neither has the secret.
 */
export function keysOf(variable: string, value: string | undefined): Buffer[] {
  const secrets = (value ?? '').split(/\s+/).filter((secret) => secret !== '');
  if (secrets.length === 0)
    throw new DetentError(
      'WEBHOOK_SECRET_MISSING',
      `the variable ${variable}, which has the secret of this webhook, is not set; set it to whsec_ and 32 random bytes in base64, and deliver again`,
      { details: { variable } },
    );
  return secrets.map((secret) => signingKey(variable, secret));
}

function signingKey(variable: string, secret: string): Buffer {
  const base64 = secret.slice(prefix.length);
  const key = Buffer.from(base64, 'base64');
  const isKey = secret.startsWith(prefix) && /^[A-Za-z0-9+/]+={0,2}$/.test(base64);
  if (isKey && key.length >= minKeyBytes && key.length <= maxKeyBytes) return key;
  throw new DetentError(
    'WEBHOOK_SECRET_INVALID',
    `the variable ${variable} holds no secret of a webhook: that is whsec_ and ${minKeyBytes} to ${maxKeyBytes} bytes in base64`,
    { details: { variable } },
  );
}

/** The header `webhook-signature` of a message: one signature for each key. */
export function signatures(keys: readonly Buffer[], id: string, timestamp: number, body: string): string {
  const signed = `${id}.${timestamp}.${body}`;
  return keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`).join(' ');
}
