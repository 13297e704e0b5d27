import { OpenAI } from 'openai';
import { JsonClient, type Prepared, type Timeouts } from '../wire/json-client.ts';

export interface OpenAIClientOptions extends Timeouts {
  /** As the OpenAI SDK takes it: `https://api.openai.com/v1`. */
  baseURL: string;
  /** Null sends no Authorization header, for servers without keys. */
  apiKey: string | null;
  /** Sent with every request; they win over the SDK's own. */
  headers: Readonly<Record<string, string>>;
}

/**
 * The OpenAI SDK on our transport.
 *
 * This module imports the SDK, which takes 80 ms: import it dynamically, with the first call.
 */
export class OpenAIClient extends JsonClient {
  constructor(options: OpenAIClientOptions) {
    const { baseURL, apiKey, headers, firstByteTimeoutMs, idleTimeoutMs } = options;
    const sdk = new OpenAI({
      baseURL,
      // Set every field: the SDK fills a missing one from the environment, and sends it to any server.
      apiKey: apiKey ?? 'none',
      adminAPIKey: null,
      organization: null,
      project: null,
      defaultHeaders: { ...(apiKey === null && { authorization: null }), ...headers },
      logLevel: 'off',
    });
    super(new URL(baseURL).origin, { firstByteTimeoutMs, idleTimeoutMs }, (path) => prepare(sdk, path));
  }
}

async function prepare(sdk: OpenAI, path: string): Promise<Prepared> {
  const { url, req } = await sdk.buildRequest({ method: 'post', path, body: {}, stream: true });
  // These headers of the SDK reveal our operating system, processor and Node version.
  const kept = [...req.headers].filter(([name]) => !name.startsWith('x-stainless-'));
  return { url, headers: Object.fromEntries(kept) };
}
