import { type ClientOptions, JsonClient } from '../wire/json-client.ts';

export interface AnthropicClientOptions extends ClientOptions {
  /** Null asks for the SDK's. */
  version: string | null;
}

/** The headers of the SDK's version that our requests are equal to, but for those that reveal the machine. */
const sdkHeaders = {
  accept: 'application/json',
  'anthropic-version': '2026-10-21',
  'content-type': 'application/json',
  'user-agent': 'Anthropic/JS 1.12.0',
};

/** Posts to a server of Anthropic's wire what the `@anthropic-ai/sdk` would, without loading it: with or without the `/v1` at the end of its URL. */
export function anthropicClient(options: AnthropicClientOptions): JsonClient {
  const { apiKey, headers, version } = options;
  const baseURL = options.baseURL.replace(/\/+$/, '').replace(/\/v1$/, '');
  const own = {
    // The SDK sends keys as bearer tokens; older servers and proxies look for the header that it sent before. Anthropic
    // takes either.
    ...(apiKey !== null && { authorization: `Bearer ${apiKey}`, 'x-api-key': apiKey }),
    ...(version !== null && { 'anthropic-version': version }),
  };
  return new JsonClient({ ...options, baseURL }, [sdkHeaders, own, headers]);
}
