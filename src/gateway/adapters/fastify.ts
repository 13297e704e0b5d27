import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { Readable } from 'node:stream';
import { DetentError } from '../../protocol/error.ts';
import type { Gateway } from '../gateway.ts';
import { type AdapterOptions, answer } from './answer.ts';
import { serveWebSockets } from './node.ts';

export type { AdapterOptions } from './answer.ts';

/** What the gateway needs of a request of Fastify 5. */
export interface FastifyRequest {
  raw: IncomingMessage | Http2ServerRequest;
  body: unknown;
  /** Follows Fastify's own setting `trustProxy`. */
  ip: string;
}

export interface FastifyReply {
  raw: ServerResponse | Http2ServerResponse;
  hijack(): unknown;
  getHeaders(): Record<string, number | string | string[] | undefined>;
}

/** What the gateway needs of an instance of Fastify 5. */
export interface FastifyScope {
  prefix: string;
  server: EventEmitter;
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: Readable) => Promise<unknown>,
  ): unknown;
  addHook(name: 'preClose', hook: () => Promise<void>): unknown;
  all(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => void): unknown;
}

/**
 * A plugin for Fastify that answers what is under the gateway's prefix, over HTTP and WebSockets. Its parser, which leaves
 * bodies to the gateway, is for its own routes only; hooks of the host run before it. `app.close()` closes the gateway, too.
 *
 * @example
 * ```ts
 * const gateway = createGateway(detent, { prefix: '/agent', authenticate });
 * const app = fastify();
 * app.register(gatewayForFastify(gateway));
 * ```
 */
export function gatewayForFastify(
  gateway: Gateway,
  { address = ({ ip }) => ip, ...options }: FastifyOptions = {},
): (scope: FastifyScope) => Promise<void> {
  return async (scope) => {
    if (!`${gateway.prefix}/`.startsWith(`${scope.prefix}/`)) throw misplaced(gateway, scope);
    const prefix = gateway.prefix.slice(scope.prefix.length);
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', async (_request, payload) => payload);
    const handle = (request: FastifyRequest, reply: FastifyReply) => {
      // From here on Fastify sends nothing. Headers that the host's hooks have set, such as those of CORS, are sent
      // with the answer.
      reply.hijack();
      const { raw: incoming, body } = request;
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value);
      const payload = body instanceof Readable && body !== incoming ? body : undefined;
      void answer({
        gateway,
        incoming,
        outgoing: reply.raw,
        url: incoming.url ?? '/',
        address: address(request),
        body: payload && (Readable.toWeb(payload) as ReadableStream<Uint8Array>),
      });
    };
    scope.all(`${prefix}/*`, handle);
    if (gateway.prefix !== '') scope.all(prefix === '' ? '/' : prefix, handle);
    const stop = serveWebSockets(scope.server, gateway, {
      ...(options.webSocketAddress && { address: options.webSocketAddress }),
    });
    scope.addHook('preClose', async () => {
      await gateway.close();
      stop();
    });
  };
}

export interface FastifyOptions extends AdapterOptions<FastifyRequest> {
  /** The same for a WebSocket, which Fastify does not see. Default: the address of the connection. */
  webSocketAddress?(request: IncomingMessage): string | undefined;
}

function misplaced({ prefix }: Gateway, scope: FastifyScope): DetentError {
  return new DetentError(
    'INVALID_CONFIG',
    `the gateway with the prefix "${prefix}" is registered under "${scope.prefix}": pass { prefix: "${scope.prefix}" } to createGateway`,
  );
}
