import { Anthropic } from '@anthropic-ai/sdk';
import { JsonClient, type Prepared, type Timeouts } from '../wire/json-client.ts';

export interface AnthropicClientOptions extends Timeouts {
  /** With or without the `/v1` at its end. */
  baseURL: string;
  /** Null sends no credentials, for servers without keys. */
  apiKey: string | null;
  /** Sent with every request; they win over the SDK's own. */
  headers: Readonly<Record<string, string>>;
  /** Null leaves it to the SDK. */
  version: string | null;
}

/** Headers of the SDK that we send. Its others reveal our operating system, or come from `ANTHROPIC_CUSTOM_HEADERS`. */
const sdkHeaders = ['accept', 'anthropic-version', 'content-type', 'user-agent'];

/**
 * The Anthropic SDK on our transport.
 *
 * This module imports the SDK, which takes 80 ms: import it dynamically, with the first call.
 */
export class AnthropicClient extends JsonClient {
  constructor(options: AnthropicClientOptions) {
    const { apiKey, headers, version, firstByteTimeoutMs, idleTimeoutMs } = options;
    const baseURL = options.baseURL.replace(/\/+$/, '').replace(/\/v1$/, '');
    const own = {
      // The SDK sends keys as bearer tokens; older servers and proxies look for the header that it sent before. Anthropic
      // takes either.
      authorization: apiKey === null ? null : `Bearer ${apiKey}`,
      ...(apiKey !== null && { 'x-api-key': apiKey }),
      ...(version !== null && { 'anthropic-version': version }),
      ...headers,
    };
    const sdk = new Anthropic({
      baseURL,
      // Set every field: the SDK fills a missing one from the environment or a profile on disk, and sends it to any server.
      apiKey: apiKey ?? 'none',
      webhookKey: null,
      defaultHeaders: own,
      openTelemetry: false,
      logLevel: 'off',
    });
    const names = new Set([...sdkHeaders, ...Object.keys(own).map((name) => name.toLowerCase())]);
    super(new URL(baseURL).origin, { firstByteTimeoutMs, idleTimeoutMs }, (path) =>
      prepare(sdk, path, names),
    );
  }
}

async function prepare(sdk: Anthropic, path: string, names: ReadonlySet<string>): Promise<Prepared> {
  const { url, req } = await sdk.buildRequest({ method: 'post', path, body: {}, stream: true });
  const kept = [...new Headers(req.headers)].filter(([name]) => names.has(name));
  return { url, headers: Object.fromEntries(kept) };
}
