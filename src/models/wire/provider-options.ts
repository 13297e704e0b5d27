import type { ModelAnswer } from '../../protocol/content.ts';
import { DetentError } from '../../protocol/error.ts';
import { modelErrorText } from '../../protocol/views.ts';
import type { Fetch } from './fetch-transport.ts';

/** Address, credentials and timeouts of a provider. */
export interface ProviderOptions {
  /** Null for servers without keys. */
  apiKey: string | null;
  /** Sent with every request; they win over all others. */
  headers?: Readonly<Record<string, string>>;
  /** From the start of a call to the first byte of its answer. Default 120,000. */
  firstByteTimeoutMs?: number;
  /** The same for a request without streaming, whose first byte comes with the complete answer. Default 600,000. */
  wholeTimeoutMs?: number;
  /** The longest silence inside an answer. Default 120,000. */
  idleTimeoutMs?: number;
  /** Sends the requests in place of our own transport. */
  fetch?: Fetch;
}

/**
 * @param example a valid address, for the message
 * @param variable the variable of the environment that has the address
 * @throws DetentError `INVALID_BASE_URL`
 */
export function checkedURL(baseURL: string, example: string, variable: string | null = null): URL {
  const url = URL.parse(baseURL);
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  const named = { url: baseURL, example, ...(variable !== null && { variable }) };
  throw new DetentError('INVALID_BASE_URL', modelErrorText('model_base_url', named), {
    details: { baseURL },
  });
}

/**
 * Checks here, because the HTTP library would put the value, often a key, into its own error message.
 *
 * @throws DetentError `INVALID_HEADER`
 */
export function checkHeaders({ apiKey, headers = {} }: Pick<ProviderOptions, 'apiKey' | 'headers'>): void {
  for (const [name, value] of Object.entries({ ...headers, ...(apiKey !== null && { 'API key': apiKey }) })) {
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) continue;
    throw new DetentError(
      'INVALID_HEADER',
      `The value of "${name}" holds a line break or another character that HTTP headers cannot carry.`,
      { details: { name } },
    );
  }
}

/** Redacts the key in an error message: some servers repeat the key that they refuse. */
export function withoutKey(answer: ModelAnswer, apiKey: string | null): ModelAnswer {
  const { error } = answer;
  if (!error || !apiKey || !error.message.includes(apiKey)) return answer;
  return { ...answer, error: { ...error, message: error.message.replaceAll(apiKey, '***') } };
}
