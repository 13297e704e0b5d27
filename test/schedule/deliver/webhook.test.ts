import { createServer } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { DetentError } from '../../../src/index.ts';
import type { Delivery } from '../../../src/schedule/deliver/delivery.ts';
import { postWebhook } from '../../../src/schedule/deliver/webhook.ts';
import { Egress } from '../../../src/tools/http/egress.ts';
import type { WebhookParts } from '../../../src/tools/http.ts';
import cases from '../../fixtures/security/ssrf.json' with { type: 'json' };
import { answering, asked, receiver } from './support.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const older = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;

/** Posts a result; loopback is allowed. */
function post(
  url: string,
  {
    of = {},
    env = {},
    ...over
  }: Partial<WebhookParts['webhooks']> & {
    of?: Partial<Delivery>;
    env?: Record<string, string>;
  } = {},
  secretEnv?: string,
): Promise<void> {
  const parts: WebhookParts = {
    webhooks: { egress: new Egress({ allow: ['127.0.0.1'] }), timeoutMs: 15_000, ...over },
    env,
    addSecrets() {},
    now: Date.now,
  };
  return postWebhook(parts, { kind: 'webhook', url, ...(secretEnv && { secretEnv }) }, asked(of));
}

const failure = (posting: Promise<void>): Promise<DetentError> =>
  posting.then(
    () => {
      throw new Error('it was delivered');
    },
    (error) => error,
  );

describe('a webhook', () => {
  it('gets a result as JSON with its id and time', async () => {
    const { received, url } = await receiver(answering(204));
    await post(url);
    const [{ method, url: path, headers, body } = {} as never] = received;
    expect([method, path, headers['content-type']]).toEqual(['POST', '/hooks/abc', 'application/json']);
    expect(headers['webhook-id']).toBe('msg_k_3_0');
    expect(headers).not.toHaveProperty('webhook-signature');
    expect(JSON.parse(body)).toEqual({
      type: 'job.run.completed',
      timestamp: '2026-01-31T09:00:01.500Z',
      data: {
        jobId: 'daily',
        slot: '2026-01-31T09:00:00Z',
        kind: 'slot',
        status: 'ok',
        runId: 'run_kf3',
        text: 'All is well.',
        error: null,
        failures: 0,
      },
    });
  });

  it.each([
    ['job.run.failed', { status: 'failed', error: { code: 'X', message: 'x' }, failures: 1 }],
    ['job.alert', { status: 'failed', isAlert: true, failures: 3 }],
  ] as const)('gets %s', async (type, of) => {
    const { received, url } = await receiver(answering(200));
    await post(url, { of });
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ type, data: { failures: of.failures } });
  });

  it('can check its signature with the reference library', async () => {
    const { received, url } = await receiver(answering(200));
    await post(url, { env: { HOOK: secret }, of: { text: 'Grüße, 日本 \u2028' } }, 'HOOK');
    const { body, headers } = received[0] as never as { body: string; headers: Record<string, string> };
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ data: { text: 'Grüße, 日本 \u2028' } });
    expect(() => new Webhook(older).verify(body, headers)).toThrow(/signature/);
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow(/signature/);
  });

  it('is signed with each of several secrets while one is replaced', async () => {
    const { received, url } = await receiver(answering(200));
    await post(url, { env: { HOOK: `${secret} ${older}` } }, 'HOOK');
    const { body, headers } = received[0] as never as { body: string; headers: Record<string, string> };
    for (const one of [secret, older]) expect(() => new Webhook(one).verify(body, headers)).not.toThrow();
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
  });

  it.each([
    ['WEBHOOK_SECRET_MISSING', {}],
    ['WEBHOOK_SECRET_MISSING', { HOOK: ' ' }],
    ['WEBHOOK_SECRET_INVALID', { HOOK: 'hunter2hunter2hunter2' }],
    ['WEBHOOK_SECRET_INVALID', { HOOK: 'whsec_dG9vc2hvcnQ=' }],
    ['WEBHOOK_SECRET_INVALID', { HOOK: `whsec_${'!'.repeat(40)}` }],
    ['WEBHOOK_SECRET_INVALID', { HOOK: `${secret} hunter2hunter2hunter2` }],
  ])('is not called without its secret: %s %j', async (code, env) => {
    const { received, url } = await receiver(answering(200));
    const error = await failure(post(url, { env: env as Record<string, string> }, 'HOOK'));
    expect([error.code, error.retryable, received.length]).toEqual([code, false, 0]);
    expect(error.message).toContain('HOOK');
    expect(error.message).not.toMatch(/hunter2|dG9v/);
  });
});

describe('an answer', () => {
  it.each([200, 201, 202, 204, 299])('%i is a delivery', async (status) => {
    const { url } = await receiver(answering(status));
    await post(url);
  });

  it.each([400, 401, 404, 409, 422, 429, 500, 502, 503])('%i is tried again', async (status) => {
    const { url } = await receiver(answering(status, {}, 'no\nsecond line'));
    const { code, retryable, message, details } = await failure(post(url));
    expect([code, retryable, details]).toEqual(['WEBHOOK_FAILED', true, {}]);
    expect(message).toMatch(new RegExp(`answered with HTTP ${status}: no$`));
    // The path of a webhook is often its secret.
    expect(message).not.toContain('/hooks/abc');
  });

  it('410 ends the attempts', async () => {
    const { url } = await receiver(answering(410));
    const { code, retryable } = await failure(post(url));
    expect([code, retryable]).toEqual(['WEBHOOK_GONE', false]);
  });

  it.each([429, 503])('%i says how long to wait', async (status) => {
    const { url } = await receiver(answering(status, { 'retry-after': '3600' }));
    expect((await failure(post(url))).details).toEqual({ retryAfterMs: 3_600_000 });
    const date = await receiver(
      answering(status, { 'retry-after': new Date(Date.now() + 7_200_000).toUTCString() }),
    );
    const { retryAfterMs } = (await failure(post(date.url))).details as { retryAfterMs: number };
    expect(retryAfterMs).toBeGreaterThan(7_100_000);
    expect(retryAfterMs).toBeLessThanOrEqual(7_200_000);
  });

  it.each(['soon', '-5', '', '1e9', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
    'a Retry-After of %j says nothing',
    async (header) => {
      const { url } = await receiver(answering(503, { 'retry-after': header }));
      expect((await failure(post(url))).details).toEqual({});
    },
  );

  it('that redirects is not followed', async () => {
    const inner = await receiver(answering(200));
    const { url } = await receiver(answering(302, { location: inner.url }));
    const { code, retryable, message } = await failure(post(url));
    expect([code, retryable]).toEqual(['WEBHOOK_FAILED', true]);
    expect(message).toMatch(/redirects are not followed/);
    expect(inner.received).toEqual([]);
  });

  it('that never ends does not hold the delivery up, nor fill the memory', async () => {
    const endless = await receiver((response) => {
      response.writeHead(200);
      response.write('x');
    });
    await post(endless.url);
    const large = await receiver((response) => {
      response.writeHead(500);
      const more = () => {
        while (!response.destroyed && response.write('y'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    expect((await failure(post(large.url))).message.length).toBeLessThan(700);
  });

  it('without a body in time is still an answer', async () => {
    const { url } = await receiver((response) => {
      response.writeHead(500);
      response.write('broken');
    });
    const { message } = await failure(post(url, { timeoutMs: 300 }));
    expect(message).toMatch(/did not answer within 300 ms|HTTP 500: broken/);
  });

  it('of escapes for a terminal is shown as text', async () => {
    const { url } = await receiver(answering(500, {}, '\u001b[2Jgone'));
    expect((await failure(post(url))).message).toContain(String.raw`\u001b[2Jgone`);
  });
});

describe('a receiver that does not answer', () => {
  it('is tried again when it is down', async () => {
    const { url, close } = await receiver(answering(200));
    await close();
    const { code, retryable, message } = await failure(post(url));
    expect([code, retryable]).toEqual(['WEBHOOK_UNREACHABLE', true]);
    expect(message).toMatch(/could not be reached: .*ECONNREFUSED/);
  });

  it('is tried again when it is slow', async () => {
    const { url } = await receiver(() => {});
    const { code, retryable } = await failure(post(url, { timeoutMs: 50 }));
    expect([code, retryable]).toEqual(['WEBHOOK_TIMEOUT', true]);
  });

  it('is tried again when it accepts the connection and is silent about TLS', async () => {
    const silent = createServer((socket) => socket.resume().on('error', () => {}));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const error = await failure(post(`https://127.0.0.1:${port}/`, { timeoutMs: 50 }));
    expect([error.code, error.retryable]).toEqual(['WEBHOOK_TIMEOUT', true]);
    // The connection was closed, too.
    await new Promise((resolve) => silent.close(resolve));
  });

  it('is tried again when its name is not resolved in time', async () => {
    const resolve = () => new Promise<never>(() => {});
    const { code, retryable } = await failure(post('http://web.example/', { resolve, timeoutMs: 50 }));
    expect([code, retryable]).toEqual(['WEBHOOK_TIMEOUT', true]);
  });

  it('is tried again when it closes the connection, and when what it says is not HTTP', async () => {
    const { url } = await receiver((response) => response.destroy());
    expect(await failure(post(url))).toMatchObject({ code: 'WEBHOOK_UNREACHABLE', retryable: true });
    const odd = createServer((socket) =>
      socket
        .resume()
        .end('SSH-2.0-x\r\n')
        .on('error', () => {}),
    );
    await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
    const { port } = odd.address() as { port: number };
    expect(await failure(post(`http://127.0.0.1:${port}/`))).toMatchObject({ code: 'WEBHOOK_UNREACHABLE' });
    await new Promise((resolve) => odd.close(resolve));
  });
});

describe('an address that is not public', () => {
  const refused = cases.filter(({ expect: wanted }) => /^block-(address|name|scheme)$/.test(wanted));

  it.each(refused)('$url is refused at once', async ({ url }) => {
    const error = await failure(post(url, { egress: new Egress() }));
    expect([error.code, error.retryable]).toEqual(['EGRESS_BLOCKED', false]);
  });

  it('is refused behind a name, and dialled by no second look', async () => {
    const { received, port } = await receiver(answering(200));
    const answers = [['93.184.216.34', '10.0.0.1'], ['127.0.0.1']];
    for (const addresses of answers) {
      const resolve = async () => addresses.map((address) => ({ address, family: 4 }));
      const error = await failure(post(`http://web.example:${port}/`, { egress: new Egress(), resolve }));
      expect([error.code, error.retryable]).toEqual(['EGRESS_BLOCKED', false]);
    }
    expect(received).toEqual([]);
  });

  it('may be called when the program allows its host', async () => {
    const { received, port } = await receiver(answering(200));
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    await post(`http://hooks.corp.example:${port}/`, {
      egress: new Egress({ allow: ['*.corp.example'] }),
      resolve,
    });
    expect(received).toHaveLength(1);
  });
});
