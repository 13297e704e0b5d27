import { DetentError, describeThrown } from '../../protocol/error.ts';
import { ToolFailure } from '../../protocol/tool.ts';
import type { Egress } from './egress.ts';
import { type Answer, type ConnectorOptions, exchange, openChecked } from './exchange.ts';
import { acceptedEncodings, readBody, single } from './read-body.ts';

export interface FetchOptions extends Pick<ConnectorOptions, 'resolve' | 'dial'> {
  egress: Egress;
  /** Maximum bytes of the body, on the wire and decompressed. */
  maxBytes: number;
  signal: AbortSignal;
  /** Whether to read the body of this response; if not, the connection is closed. */
  wants(answer: Answer): boolean;
}

export interface FetchedPage {
  /** The final URL, after redirects. */
  url: URL;
  status: number;
  statusText: string;
  headers: Answer['headers'];
  /** Null when `wants` returned false. */
  body: Buffer | null;
}

const maxRedirects = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const requestHeaders = {
  accept: 'text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.5',
  'accept-encoding': acceptedEncodings,
  'user-agent': 'detent (http_get)',
};

/**
 * Gets a page of the public internet. This function follows redirects itself, so that it checks each hop like the first
 * URL. It never sends cookies, authorization or a referrer. It uses no proxy of the environment, because a proxy would
 * connect to unchecked addresses.
 *
 * @throws ToolFailure `INVALID_URL`, `EGRESS_BLOCKED`, `TOO_MANY_REDIRECTS`, `TOO_LARGE`, `NETWORK_ERROR`; the signal's
 * reason.
 */
export async function fetchPage(text: string, options: FetchOptions): Promise<FetchedPage> {
  const { egress, signal } = options;
  const first = egress.checkUrl(text);
  try {
    return await follow(first, options);
  } catch (error) {
    signal.throwIfAborted();
    throw networkFailure(error, first);
  }
}

async function follow(first: URL, options: FetchOptions): Promise<FetchedPage> {
  let url = first;
  for (let hops = 0; ; hops++) {
    const answer = await exchange(
      await openChecked(url, options),
      url,
      { headers: requestHeaders },
      options.signal,
    );
    try {
      const location = redirects.has(answer.status) ? single(answer.headers.location) : undefined;
      if (location === undefined) return await received(url, answer, options);
      if (hops === maxRedirects)
        throw new ToolFailure(
          'TOO_MANY_REDIRECTS',
          `${first.href} redirects more than ${maxRedirects} times, the last time to ${location.slice(0, 200)}`,
        );
      url = options.egress.checkUrl(location, url);
    } finally {
      answer.body.destroy();
    }
  }
}

async function received(url: URL, answer: Answer, options: FetchOptions): Promise<FetchedPage> {
  const { status, statusText, headers } = answer;
  const body = options.wants(answer) ? await readBody(answer, options.maxBytes) : null;
  return { url, status, statusText, headers, body };
}

function networkFailure(error: unknown, url: URL): unknown {
  if (DetentError.is(error)) return error;
  return new ToolFailure('NETWORK_ERROR', `${url.origin} could not be read: ${describeThrown(error)}`, {
    cause: error,
  });
}
