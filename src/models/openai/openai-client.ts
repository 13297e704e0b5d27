import type { Fetch } from '../wire/fetch-transport.ts';
import { JsonClient, type Timeouts } from '../wire/json-client.ts';
import { requestHead } from '../wire/request-head.ts';

export interface OpenAIClientOptions extends Timeouts {
  /** As the OpenAI SDK takes it: `https://api.openai.com/v1`. */
  baseURL: string;
  /** Null sends no Authorization header, for servers without keys. */
  apiKey: string | null;
  /** Sent with every request; they win over those that the API asks for. */
  headers: Readonly<Record<string, string>>;
  fetch?: Fetch;
}

/** The headers of the SDK's version that our requests are equal to, but for those that reveal the machine. */
const sdkHeaders = {
  accept: 'application/json',
  'content-type': 'application/json',
  'user-agent': 'OpenAI/JS 7.55.0',
};

/** Posts to a server of one of OpenAI's wires what the `openai` SDK would, without loading it. */
export class OpenAIClient extends JsonClient {
  constructor(options: OpenAIClientOptions) {
    const { baseURL, apiKey, headers } = options;
    const key: Record<string, string> = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
    super(new URL(baseURL).origin, options, (path) => requestHead(baseURL, path, [sdkHeaders, key, headers]));
  }
}
