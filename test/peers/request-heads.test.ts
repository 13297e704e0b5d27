import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Anthropic } from '@anthropic-ai/sdk';
import { OpenAI } from 'openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anthropicClient } from '../../src/models/anthropic/anthropic-client.ts';
import { openAIClient } from '../../src/models/openai/openai-client.ts';
import type { JsonClient } from '../../src/models/wire/json-client.ts';

interface Head {
  url: string;
  headers: Record<string, string>;
}

const timeouts = { firstByteTimeoutMs: 5_000, idleTimeoutMs: 5_000 };
const options = { signal: new AbortController().signal, idempotencyKey: 'run:1' };

/** Headers of the connection and of our own, and those of the SDKs that reveal the machine. */
const aside = /^(host|connection|content-length|transfer-encoding|idempotency-key|x-stainless-.*)$/;

function head({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): Head {
  const kept = Object.entries(headers).filter(([name]) => !aside.test(name));
  return { url, headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])) };
}

/** The request that a server gets; `ask` is given its origin. */
async function received(ask: (origin: string) => Promise<unknown>): Promise<Head> {
  let got: Head | null = null;
  const server = createServer((request, response) => {
    got = head(request);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  await ask(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  if (got === null) throw new Error('nothing came');
  return got;
}

const post = async (client: JsonClient, path: string) => {
  const { body } = await client.post(path, {}, options);
  await body.read(() => false);
};

/** What an SDK would send. */
async function built(sdk: OpenAI | Anthropic, path: string): Promise<Head> {
  const { url, req } = await sdk.buildRequest({ method: 'post', path, body: {}, stream: true });
  const { pathname, search } = new URL(url);
  return head({ url: `${pathname}${search}`, headers: Object.fromEntries(new Headers(req.headers)) });
}

const keys = [null, 'k', ' from-a-file\n'];
const bases = ['', '/', '/v1', '/v1/', '/v1//', '/ü/v1', '/v1?api-version=2026-01-01&x=a b'];
const settings: Record<string, string>[] = [
  {},
  { 'X-Tenant': 'b' },
  { Authorization: 'Basic x', Accept: 'a/b', 'User-Agent': 'mine' },
];
const cases = keys.flatMap((apiKey) =>
  bases.flatMap((base) => settings.map((headers) => ({ apiKey, base, headers }))),
);

describe('the head of a request is the one that the SDK makes', () => {
  it.each(cases)('of OpenAI: $apiKey $base $headers', async ({ apiKey, base, headers }) => {
    const path = '/chat/completions';
    let expected: Head | null = null;
    const ours = await received(async (origin) => {
      const baseURL = `${origin}${base}`;
      const sdk = new OpenAI({
        baseURL,
        apiKey: apiKey ?? 'none',
        adminAPIKey: null,
        organization: null,
        project: null,
        defaultHeaders: { ...(apiKey === null && { authorization: null }), ...headers },
      });
      expected = await built(sdk, path);
      await post(openAIClient({ baseURL, apiKey, headers, ...timeouts }), path);
    });
    expect(ours).toEqual(expected);
  });

  it.each(cases.filter(({ base }) => !base.includes('?')))(
    'of Anthropic: $apiKey $base $headers',
    async ({ apiKey, base, headers }) => {
      let expected: Head | null = null;
      const ours = await received(async (origin) => {
        const baseURL = `${origin}${base}`;
        const sdk = new Anthropic({
          baseURL: baseURL.replace(/\/+$/, '').replace(/\/v1$/, ''),
          apiKey: apiKey ?? 'none',
          webhookKey: null,
          defaultHeaders: {
            authorization: apiKey === null ? null : `Bearer ${apiKey}`,
            'x-api-key': apiKey,
            ...headers,
          },
          openTelemetry: false,
        });
        expected = await built(sdk, '/v1/messages');
        await post(anthropicClient({ baseURL, apiKey, headers, version: null, ...timeouts }), '/v1/messages');
      });
      expect(ours).toEqual(expected);
    },
  );
});
