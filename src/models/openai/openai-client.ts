import { type ClientOptions, JsonClient } from '../wire/json-client.ts';

/** The headers of the SDK's version that our requests are equal to, but for those that reveal the machine. */
const sdkHeaders = {
  accept: 'application/json',
  'content-type': 'application/json',
  'user-agent': 'OpenAI/JS 7.55.0',
};

/** Posts to a server of one of OpenAI's wires what the `openai` SDK would, without loading it. */
export function openAIClient(options: ClientOptions): JsonClient {
  const { apiKey, headers } = options;
  const key: Record<string, string> = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
  return new JsonClient(options, [sdkHeaders, key, headers]);
}
