import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { getRequestListener } from '@hono/node-server';
import { DetentError } from '../../protocol/error.ts';
import type { Gateway } from '../gateway.ts';
import type { Peer } from '../http/http-parts.ts';

/** What a host tells the gateway about its clients. */
export interface AdapterOptions<Request> {
  /**
   * The address of a client, for the count of failed logins. The gateway itself believes no header: behind a proxy, name the
   * address that your proxy reports.
   */
  address?(request: Request): string | undefined;
}

/** A request of `node:http` with the fields that body parsers of frameworks add. */
type ParsedRequest = (IncomingMessage | Http2ServerRequest) & { body?: unknown; rawBody?: unknown };

interface Answer {
  gateway: Gateway;
  incoming: ParsedRequest;
  outgoing: ServerResponse | Http2ServerResponse;
  /** The path and query under which the client asked: a framework may have cut the prefix off `incoming.url`. */
  url: string;
  address: string | undefined;
  /** The body to read instead of the connection. Default: what {@link consumedBody} finds. */
  body?: Body | undefined;
}

export function peerAt(address: string | undefined, outgoing?: Answer['outgoing']): Peer {
  return { ...(address !== undefined && { address }), ...(outgoing && { cut: () => outgoing.destroy() }) };
}

/** Whether a path, or an address with a query, is the gateway's. */
export function isUnder(prefix: string, url: string | undefined): boolean {
  const path = pathOf(url);
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** The path of a request, also of one with an absolute address, as a client of a proxy sends it. */
export function pathOf(url = '/'): string {
  const path = url.startsWith('/') ? url : (URL.parse(url)?.pathname ?? '');
  return path.split('?', 1)[0] ?? '';
}

/** Answers a request of `node:http` with a gateway. */
export function answer({ gateway, incoming, outgoing, url, address, ...given }: Answer): Promise<void> {
  if (isForAnother(incoming)) {
    outgoing.statusCode = 400;
    outgoing.end();
    return Promise.resolve();
  }
  const body = given.body === undefined ? consumedBody(incoming) : given.body;
  const listen = getRequestListener(
    async (request) => {
      const given = body === undefined ? request : withBody(request, body);
      const response = await gateway.handler(given, peerAt(address, outgoing));
      // Without chunks the end of the connection is the end of the stream. HttpURLConnection of a JDK cannot close a chunked one while
      // another thread reads it.
      const isStream = response.headers.get('content-type') === 'text/event-stream';
      if (isStream && incoming.headers.connection === 'close') outgoing.removeHeader('transfer-encoding');
      // If the answer comes before the end of the body, the connection is cut after it, so it must not announce
      // keep-alive.
      if (!incoming.complete && 'shouldKeepAlive' in outgoing) outgoing.shouldKeepAlive = false;
      return response;
    },
    { overrideGlobalObjects: false },
  );
  // The listener reads the URL before it returns, so the framework's own URL can be restored for other handlers.
  const own = incoming.url;
  incoming.url = url;
  const answered = listen(incoming, outgoing);
  if (own !== undefined) incoming.url = own;
  return answered;
}

/** Whether the first line of the request names another host than its header: only the header is checked later. */
function isForAnother({ url = '', headers: { host = '' } }: ParsedRequest): boolean {
  const named = url.startsWith('/') ? null : URL.parse(url)?.host;
  return named !== null && named !== host.toLowerCase();
}

/** The bytes of a request that the gateway is to read instead of those of the connection. */
export type Body = Uint8Array | ReadableStream<Uint8Array> | null;

/**
 * The body of a request that a parser read before the gateway, restored from what the parser left. Undefined if no
 * parser read it; reading it fails with `BODY_CONSUMED` if nothing was left.
 */
function consumedBody(incoming: ParsedRequest): Body | undefined {
  if (!incoming.readableDidRead && !incoming.readableEnded) return undefined;
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = incoming.headers;
  if (encoding === undefined && Number(length) === 0) return null;
  return bytesOf(incoming.rawBody) ?? bytesOf(incoming.body) ?? lostBody();
}

export function lostBody(): ReadableStream<Uint8Array> {
  const error = new DetentError(
    'BODY_CONSUMED',
    'a body parser read the body before the gateway and did not keep it: mount the gateway before that parser',
  );
  return new ReadableStream({ start: (controller) => controller.error(error) });
}

function bytesOf(body: unknown): Uint8Array | null {
  if (body instanceof Uint8Array) return body;
  if (typeof body === 'string') return Buffer.from(body);
  if (typeof body !== 'object' || body === null) return null;
  try {
    return Buffer.from(JSON.stringify(body));
  } catch {
    return null;
  }
}

/** A request with another body, if its method may have one. */
export function withBody(request: Request, body: Body): Request {
  const { url, method, headers, signal } = request;
  if (!['POST', 'PUT', 'PATCH', 'DELETE'].includes(method)) return request;
  return new Request(url, { method, headers, signal, body, duplex: 'half' } as RequestInit);
}
