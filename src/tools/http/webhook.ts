import { createHmac } from 'node:crypto';
import type { Readable } from 'node:stream';
import { DetentError, describeThrown } from '../../protocol/error.ts';
import { own, printable } from '../../text/wording.ts';
import type { Egress } from './egress.ts';
import { type Answer, type ConnectorOptions, exchange, openChecked, type Sent } from './exchange.ts';
import { single } from './read-body.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
/** Delays before the next attempt, as https://www.standardwebhooks.com advises: quick at first, then for more than a day. */
const delays = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour];
const lastDelay = 24 * hour;

/** Milliseconds until the attempt after a failed one; null if none mends the error. @param attempt how many were made */
export function retryDelay(attempt: number, error: unknown): number | null {
  if (!DetentError.is(error) || !error.retryable) return null;
  const asked = error.details.retryAfterMs;
  const usual = delays[attempt - 1] ?? lastDelay;
  return typeof asked === 'number' && asked > usual ? Math.min(asked, lastDelay) : usual;
}

/** How webhooks are called. */
interface Webhooks extends Pick<ConnectorOptions, 'resolve' | 'dial'> {
  egress: Egress;
  timeoutMs: number;
}

/** What calling a webhook needs of the program. */
export interface WebhookParts {
  env: Readonly<Record<string, string | undefined>>;
  /** From then on the values of these variables are taken out of rows and logs. */
  addSecrets(variables: readonly string[]): void;
  webhooks: Webhooks;
  /** Milliseconds since the epoch. */
  now(): number;
}

interface Webhook {
  url: string;
  /** The variable with the secret that signs; without one nothing is signed. */
  secretEnv?: string | undefined;
}

/** What a webhook gets. */
interface WebhookMessage {
  /** The same for each attempt: a receiver that gets it twice knows it by this. */
  id: string;
  /** The same for each attempt. */
  body: object;
  signal: AbortSignal;
}

const prefix = 'whsec_';
/** Bytes of a key: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
const [minKeyBytes, maxKeyBytes] = [24, 64];

/** How much of an answer's body is read and shown: its beginning explains an error. */
const [readBytes, maxExcerpt] = [1_000, 300];

/**
 * Posts a message by Standard Webhooks.
 *
 * Each address of the host is checked, and a checked one dialled. Redirects are not followed, and no proxy is used: either
 * could lead to an address that is not public.
 *
 * @see https://www.standardwebhooks.com
 * @throws DetentError `EGRESS_BLOCKED`, `WEBHOOK_GONE`, `WEBHOOK_SECRET_MISSING` and `WEBHOOK_SECRET_INVALID`, which no
 * repeat mends; `WEBHOOK_FAILED`, `WEBHOOK_UNREACHABLE` and `WEBHOOK_TIMEOUT`, which are retryable.
 */
export async function postMessage(
  { webhooks, env, addSecrets, now }: WebhookParts,
  { url: written, secretEnv }: Webhook,
  { id, body: message, signal: given }: WebhookMessage,
): Promise<void> {
  // From now on the secret is redacted in rows and logs.
  if (secretEnv !== undefined) addSecrets([secretEnv]);
  const secret = secretEnv === undefined ? '' : own(env, secretEnv);
  const keys = secretEnv === undefined ? [] : webhookKeys(env, secretEnv);
  const body = JSON.stringify(message);
  const timestamp = Math.floor(now() / 1000);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'detent (webhook)',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    ...(keys.length > 0 && { 'webhook-signature': signatures(keys, id, timestamp, body) }),
  };
  const late = AbortSignal.timeout(webhooks.timeoutMs);
  const signal = AbortSignal.any([given, late]);
  let origin = '';
  try {
    const url = checkedUrl(webhooks.egress, written);
    origin = url.origin;
    const sent = { method: 'POST' as const, headers, body };
    await Promise.race([post(url, sent, { ...webhooks, signal }, secret), abortOf(signal)]);
  } catch (error) {
    if (DetentError.is(error)) throw allowing(error);
    if (late.aborted)
      throw deliveryFailed('WEBHOOK_TIMEOUT', `${origin} did not answer within ${webhooks.timeoutMs} ms`);
    throw deliveryFailed('WEBHOOK_UNREACHABLE', `${origin} could not be reached: ${describeThrown(error)}`);
  }
}

/**
 * The keys of a variable: one, or several between spaces while a secret is replaced.
 *
 * @throws DetentError `WEBHOOK_SECRET_MISSING`, `WEBHOOK_SECRET_INVALID`; neither has the secret.
 */
export function webhookKeys(env: WebhookParts['env'], variable: string): Buffer[] {
  const secrets = (own(env, variable) ?? '').split(/\s+/).filter((secret) => secret !== '');
  if (secrets.length === 0)
    throw new DetentError(
      'WEBHOOK_SECRET_MISSING',
      `the variable ${variable}, which has the secret of this webhook, is not set; set it to whsec_ and 32 random bytes in base64`,
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
function signatures(keys: readonly Buffer[], id: string, timestamp: number, body: string): string {
  const signed = `${id}.${timestamp}.${body}`;
  return keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`).join(' ');
}

/** The address of a webhook, checked as far as it can be without a resolver. @throws DetentError `INVALID_URL`, `EGRESS_BLOCKED`. */
export function checkedUrl(egress: Egress, written: string): URL {
  try {
    return egress.checkUrl(written);
  } catch (error) {
    throw DetentError.is(error) ? allowing(error) : error;
  }
}

const advice = '"webhooks.allowHosts" of the configuration allows hosts of your own network';

/** An error that says, once, how an address that is not public is allowed. */
function allowing(error: DetentError): DetentError {
  const { code, message } = error;
  if (code !== 'EGRESS_BLOCKED' || message.endsWith(advice)) return error;
  return new DetentError(code, `${message}; ${advice}`);
}

async function post(url: URL, sent: Sent, options: ConnectorOptions, secret = ''): Promise<void> {
  const socket = await openChecked(url, options);
  try {
    const answer = await exchange(socket, url, sent, options.signal);
    if (answer.status < 200 || answer.status > 299) throw await refusal(url, answer, secret);
  } finally {
    socket.destroy();
  }
}

async function refusal(url: URL, { status, headers, body }: Answer, secret: string): Promise<DetentError> {
  const said = firstLine(await firstBytes(body), secret);
  const text = `${url.origin} answered with HTTP ${status}${said === '' ? '' : `: ${said}`}`;
  if (status === 410) return new DetentError('WEBHOOK_GONE', `${text}; it wants no more of this webhook`);
  const isRedirect = status >= 300 && status < 400;
  const retryAfterMs = status === 429 || status === 503 ? waitOf(single(headers['retry-after'])) : null;
  return deliveryFailed(
    'WEBHOOK_FAILED',
    isRedirect ? `${text} (redirects are not followed)` : text,
    retryAfterMs,
  );
}

/** The beginning of a body, which may be endless. */
async function firstBytes(body: Readable): Promise<string> {
  let bytes = Buffer.alloc(0);
  try {
    for await (const chunk of body) {
      bytes = Buffer.concat([bytes, chunk as Buffer]).subarray(0, readBytes);
      if (bytes.length === readBytes) break;
    }
  } catch {
    // The bytes received so far are enough.
  }
  return bytes.toString();
}

/** The line that a person reads. The secret is removed, because a receiver may repeat it. */
function firstLine(text: string, secret: string): string {
  const secrets = secret.split(/\s+/).filter((one) => one !== '');
  const clean = secrets.reduce((rest, one) => rest.replaceAll(one, '[redacted]'), text);
  return printable(clean.trim().split('\n')[0]?.trim().slice(0, maxExcerpt) ?? '').toWellFormed();
}

/** Milliseconds of a `Retry-After` header, which has seconds or a date. */
function waitOf(header: string | undefined): number | null {
  if (header === undefined) return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}

function deliveryFailed(code: string, message: string, retryAfterMs: number | null = null): DetentError {
  const details = retryAfterMs === null ? {} : { retryAfterMs };
  return new DetentError(code, message, { retryable: true, details });
}

/** Rejects when the signal aborts: a resolver and a handshake cannot be aborted. */
function abortOf(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = () => reject(signal.reason);
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  return promise;
}
