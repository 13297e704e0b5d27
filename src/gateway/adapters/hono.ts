import type { ServerResponse } from 'node:http';
import type { Gateway } from '../gateway.ts';
import { type AdapterOptions, type Body, isUnder, lostBody, pathOf, peerAt, withBody } from './answer.ts';

export type { AdapterOptions } from './answer.ts';

/** What the gateway needs of Hono's context. */
export interface HonoContext {
  req: { raw: Request; arrayBuffer(): Promise<ArrayBuffer> };
  /** On Node `@hono/node-server` puts the request of `node:http` here. */
  env: unknown;
}

/**
 * A middleware for Hono on Node that answers what is under the gateway's prefix; everything else goes to the next handler. It may
 * stand before or behind what reads bodies.
 *
 * WebSockets come through the server: `serveWebSockets(serve(app), gateway)`, with `serve` of `@hono/node-server` and
 * `serveWebSockets` of `detent/node`.
 *
 * @example
 * ```ts
 * const gateway = createGateway(detent, { prefix: '/agent', authenticate });
 * const app = new Hono();
 * app.use(gatewayForHono(gateway));
 * ```
 */
export function gatewayForHono(
  gateway: Gateway,
  { address = connectionAddress }: AdapterOptions<HonoContext> = {},
): (context: HonoContext, next: () => Promise<void>) => Promise<Response | undefined> {
  return async (context, next) => {
    const { raw } = context.req;
    if (!isUnder(gateway.prefix, pathOf(raw.url))) {
      await next();
      return undefined;
    }
    const request = raw.bodyUsed ? withBody(raw, await keptBody(context)) : raw;
    const { outgoing } = (context.env ?? {}) as { outgoing?: ServerResponse };
    return gateway.handler(request, peerAt(address(context), outgoing));
  };
}

/** The body that Hono caches when its own methods have read it. */
async function keptBody({ req }: HonoContext): Promise<Body> {
  try {
    return new Uint8Array(await req.arrayBuffer());
  } catch {
    return lostBody();
  }
}

function connectionAddress({ env }: HonoContext): string | undefined {
  const { incoming } = (env ?? {}) as { incoming?: { socket?: { remoteAddress?: string } } };
  return incoming?.socket?.remoteAddress;
}
