import type { Gate, LetIn } from '../access/gate.ts';
import type { Logins } from '../access/logins.ts';
import type { TenantFeeds } from '../feeds/feed.ts';
import type { Feeds } from '../feeds/feeds.ts';
import type { GatewayLimits } from '../gateway-options.ts';
import type { Call } from '../methods/method.ts';
import type { Page } from '../page/page.ts';
import type { BytesUnderWay } from '../socket/under-way.ts';

/** What the routes are made of. */
export interface HttpParts {
  prefix: string;
  /** Null without one; `not built` in a clone whose page was not built. */
  page: Page | 'not built' | null;
  gate: Gate;
  logins: Logins;
  /** The key for codes of login links; null if no client gets any. */
  loginKey: string | null;
  feeds: Feeds;
  tenantFeeds: TenantFeeds;
  limits: GatewayLimits;
  underWay: BytesUnderWay;
  call(who: LetIn, signal: AbortSignal): Call;
  /** Throws what keeps the gateway from serving. */
  checkReady(): Promise<void>;
  /** Nothing else is served. */
  isHealthAlone: boolean;
  /** Counts an event stream. Returns the function that ends the count. Throws `TOO_MANY_REQUESTS`, `TOO_MANY_CONNECTIONS`. */
  open(stream: OpenStream, who: LetIn): () => void;
  report(error: unknown): void;
}

/** An event stream, to the gateway. */
export interface OpenStream {
  stop(): void;
  /** Ends the stream if its token is not valid any more. */
  checkToken(): Promise<void>;
}

/** What the server knows of a request besides the request. */
export interface Peer {
  /** Of the client's end of the connection. */
  address?: string;
  /** Ends the connection, of a client that takes nothing of its answer. */
  cut?(): void;
}
