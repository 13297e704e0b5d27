import type { Fetch } from '../wire/fetch-transport.ts';
import { JsonClient, type Timeouts } from '../wire/json-client.ts';
import { requestHead } from '../wire/request-head.ts';

export interface AnthropicClientOptions extends Timeouts {
  /** With or without the `/v1` at its end. */
  baseURL: string;
  /** Null sends no credentials, for servers without keys. */
  apiKey: string | null;
  /** Sent with every request; they win over those that the API asks for. */
  headers: Readonly<Record<string, string>>;
  /** Null asks for the SDK's. */
  version: string | null;
  fetch?: Fetch;
}

/** The headers of the SDK's version that our requests are equal to, but for those that reveal the machine. */
const sdkHeaders = {
  accept: 'application/json',
  'anthropic-version': '2026-10-21',
  'content-type': 'application/json',
  'user-agent': 'Anthropic/JS 1.12.0',
};

/** Posts to a server of Anthropic's wire what the `@anthropic-ai/sdk` would, without loading it. */
export class AnthropicClient extends JsonClient {
  constructor(options: AnthropicClientOptions) {
    const { apiKey, headers, version } = options;
    const baseURL = options.baseURL.replace(/\/+$/, '').replace(/\/v1$/, '');
    const own = {
      // The SDK sends keys as bearer tokens; older servers and proxies look for the header that it sent before. Anthropic
      // takes either.
      ...(apiKey !== null && { authorization: `Bearer ${apiKey}`, 'x-api-key': apiKey }),
      ...(version !== null && { 'anthropic-version': version }),
    };
    super(new URL(baseURL).origin, options, (path) => requestHead(baseURL, path, [sdkHeaders, own, headers]));
  }
}
