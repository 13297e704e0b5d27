import type { FetchFunction, SocketConstructor } from '../client/index.ts';
import type { FrameError } from '../protocol/frames.ts';

/** Why a gateway gives no ticket: its code, such as `UNAUTHORIZED`, or `UNREACHABLE` without an answer. */
export class InspectError extends Error {
  readonly code: string;
  /** True when the same request may succeed later without any change. */
  readonly retryable: boolean;

  constructor({ code, message, retryable }: Pick<FrameError, 'code' | 'message' | 'retryable'>) {
    super(message);
    this.name = 'InspectError';
    this.code = code;
    this.retryable = retryable;
  }
}

/** A gateway, and who asks it. */
export interface InspectGateway {
  /** Its address with the prefix: `http://127.0.0.1:7420`. */
  url: string;
  /** A token with the scope `write` to send, `read` to follow; or a function that gives one whenever it is needed. */
  token: string | (() => string | Promise<string>);
  /** Default: those of the platform. */
  fetch?: FetchFunction;
  WebSocket?: SocketConstructor;
}

/** What a WebSocket of an inspector is for. */
export type InspectUse =
  /** Shows actors at the gateway. A later sender of the same name takes the place of this one. */
  | { use: 'send'; sender?: string }
  /** Follows a run; without one, all runs. */
  | { use: 'follow'; runId?: string };

/**
 * The address of one WebSocket at a gateway: it works once, within a minute. For `createWebSocketInspector` (`url`) and
 * `createWebSocketReceiver` (`server`) of `@statelyai/inspect`, which can show no token.
 *
 * @example
 * ```ts
 * const server = await inspectUrl({ url: 'http://127.0.0.1:7420', token }, { use: 'follow', runId });
 * createWebSocketReceiver({ server }).subscribe(console.log);
 * ```
 * @throws InspectError.
 */
export async function inspectUrl(gateway: InspectGateway, use: InspectUse): Promise<string> {
  const { token, fetch = globalThis.fetch } = gateway;
  const url = gateway.url.replace(/\/+$/, '');
  const query = new URLSearchParams(Object.entries(use).filter(([, value]) => value !== undefined));
  const headers = { authorization: `Bearer ${typeof token === 'function' ? await token() : token}` };
  const answer = await fetch(`${url}/api/v1/inspect/ticket?${query}`, { headers }).catch((error: unknown) => {
    const message = `no answer of ${url}: ${error instanceof Error ? error.message : String(error)}`;
    throw new InspectError({ code: 'UNREACHABLE', message, retryable: true });
  });
  if (!answer.ok) throw new InspectError(await refusalOf(answer, use));
  const { path } = (await answer.json()) as { path: string };
  return `${new URL(url).origin.replace(/^http/, 'ws')}${path}`;
}

/** What a problem document says; a proxy between may answer anything. */
async function refusalOf(
  answer: Response,
  use: InspectUse,
): Promise<Pick<FrameError, 'code' | 'message' | 'retryable'>> {
  const { code, detail, retryable, details } = Object(await answer.json().catch(() => null)) as {
    code?: string;
    detail?: string;
    retryable?: boolean;
    details?: { missing?: unknown };
  };
  const missing = Array.isArray(details?.missing)
    ? `: its token lacks the scope ${details.missing.join(', ')}`
    : '';
  const run = use.use === 'follow' && use.runId !== undefined ? ` (run ${use.runId})` : '';
  const message = `${detail ?? `the gateway answered with status ${answer.status}`}${missing}${run}`;
  return { code: code ?? `HTTP_${answer.status}`, message, retryable: retryable ?? answer.status >= 500 };
}
