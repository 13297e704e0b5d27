import type { IncomingMessage, ServerResponse } from 'node:http';
import { DetentError } from '../../protocol/error.ts';
import type { Gateway } from '../gateway.ts';
import { type AdapterOptions, answer, isUnder } from './answer.ts';

export type { AdapterOptions } from './answer.ts';

/** What the gateway needs of a request of Express 4 or 5, or of any framework with its middleware. */
export interface ExpressRequest extends IncomingMessage {
  body?: unknown;
  rawBody?: unknown;
  /** The part of the path that the routers above took. */
  baseUrl?: string;
  originalUrl?: string;
  /** Follows Express' own setting `trust proxy`. */
  ip?: string | undefined;
}

export type ExpressMiddleware = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * A middleware for Express that answers what is under the gateway's prefix; everything else goes to the next handler. It may
 * stand before or behind parsers of bodies. Before them the gateway's own limit of a body counts, behind them also theirs.
 *
 * WebSockets come through the server: `serveWebSockets(server, gateway)` of `detent/node`.
 *
 * @example
 * ```ts
 * const gateway = createGateway(detent, { prefix: '/agent', authenticate });
 * const app = express();
 * app.use(gatewayForExpress(gateway));
 * serveWebSockets(app.listen(3000), gateway);
 * ```
 */
export function gatewayForExpress(
  gateway: Gateway,
  { address = ({ ip, socket }) => ip ?? socket.remoteAddress }: AdapterOptions<ExpressRequest> = {},
): ExpressMiddleware {
  return (incoming, outgoing, next) => {
    const { baseUrl, originalUrl, url: own = '/' } = incoming;
    const url = baseUrl === undefined ? (originalUrl ?? own) : baseUrl + own;
    const wrong = misplaced(gateway.prefix, baseUrl);
    if (wrong || !isUnder(gateway.prefix, url)) return next(wrong);
    answer({ gateway, incoming, outgoing, url, address: address(incoming) }).catch(next);
  };
}

/** Mounted under a path that does not lead to its prefix, a gateway would never answer. Express compares paths in any case. */
function misplaced(prefix: string, path = ''): DetentError | undefined {
  if (`${prefix}/`.toLowerCase().startsWith(`${path}/`.toLowerCase())) return undefined;
  return new DetentError(
    'INVALID_CONFIG',
    `the gateway with the prefix "${prefix}" is mounted at "${path}": mount it with app.use(gatewayForExpress(gateway)), and pass { prefix: "${path}" } to createGateway`,
  );
}
