import type { Caller } from '../protocol/access.ts';
import type { Scheduler } from '../schedule/api.ts';
import type { PageOptions } from './page/page.ts';

/** The answer of a host about a client. Give `tenantId` or `tenant`, not both. */
export interface Authenticated extends Omit<Caller, 'tenantId'> {
  tenantId?: number;
  /**
   * The name of a tenant: 1 to 64 lower-case letters, digits, `.`, `_` and `-`, with a letter. If there is none of this name, it is
   * made, without a workspace. Never tenant 1, which belongs to the person who runs the program.
   */
  tenant?: string;
  /**
   * When its token ends, in milliseconds since 1970: the gateway checks the token again then, and closes what is open
   * unless the token was extended. Default: the token is checked with each request, and every 15 s while something is
   * open.
   */
  expiresAt?: number;
}

/** Finds the client that shows a token; null if the token lets no one in. */
export type Authenticate = (
  token: string,
  request: Request,
) => Promise<Authenticated | null> | Authenticated | null;

export interface GatewayOptions {
  /**
   * Says who a client is, for a backend with its own users. Gets the bearer token as the client sent it, with each request and each
   * frame. Default: Detent's own tokens (`detent.tokens`). Its answer is checked: with an unknown scope, or without a
   * user, the client is refused.
   */
  authenticate?: Authenticate;
  /** The path that the gateway is mounted under, such as `/agent`. Default: the root. */
  prefix?: string;
  /**
   * Names under which clients reach the gateway, besides those of this machine's loopback: a request with another `Host` is refused, so that a page elsewhere
   * cannot reach the gateway through a domain that it points to this machine. Without a port, every port counts.
   */
  hosts?: readonly string[];
  /** Origins of pages that may use it, besides the gateway's own: `https://shop.example`. Default: none. */
  origins?: readonly string[];
  /**
   * The scheduler for requests about scheduled jobs. Default: one of the gateway's own, which reads and writes jobs but
   * runs none: another process of the database must call `start` of its scheduler.
   */
  scheduler?: Scheduler;
  /**
   * Serves the web page under the prefix: the one that comes with Detent, or a build of your own. Its files need no token; what
   * they show does. Default: false.
   */
  page?: boolean | PageOptions;
  limits?: Partial<GatewayLimits>;
  /** Gets errors that reach no client. Default: a line on stderr. */
  onError?: (error: unknown) => void;
}

export interface GatewayLimits {
  /** Bytes of a request's body. Default 1 MiB. */
  maxBodyBytes: number;
  /** Bytes of an upload. Default 20 MiB. */
  maxUploadBytes: number;
  /** Bytes of a frame. Default 1 MiB. */
  maxFrameBytes: number;
  /** Bytes that may wait for a client that reads slowly. Default 256 KiB. */
  maxBufferedBytes: number;
  /**
   * Bytes of one user's bodies that are being read and answers that are being written, over frames and HTTP together.
   * An answer that was requested while there was room is written in any case. Default 64 MiB.
   */
  maxBytesPerUser: number;
  /** The same of all users together. Default 512 MiB. */
  maxBytesUnderWay: number;
  /** Requests of one user that read, and are performed at once; others wait for their turn. Default 4. */
  maxReadsPerUser: number;
  /** WebSockets and event streams at once. Default 20,000. */
  maxConnections: number;
  /**
   * WebSockets and event streams of one user at once. Like all limits of a user, it holds for each token that is bound to no
   * user by itself. Default 2,000.
   */
  maxConnectionsPerUser: number;
  /**
   * Runs of one user that its clients set going and that are at work: those that wait for a person do not count. A decision
   * about a run is never refused. Default 100.
   */
  maxRunsPerUser: number;
  /** Scheduled jobs of one user; a token that is bound to no user makes any number. Default 100. */
  maxJobsPerUser: number;
  /** WebSockets that have not yet said who they are; beyond it, the oldest of the address with most of them goes. Default 500. */
  maxStrangers: number;
  /** Those of one address (of IPv6: of its /64 network); beyond it, its oldest goes. Default 200. */
  maxStrangersPerAddress: number;
  /** Runs that one connection may watch. Default 100. */
  maxSubscriptions: number;
  /** Requests under way at once on one connection. Default 50. */
  maxPending: number;
  /** Of one user, over frames and HTTP together. Default 1,200. */
  requestsPerMinute: number;
  /** Failed attempts to log in, of one address. Default 20. */
  failuresPerMinute: number;
  /** How long `authenticate` may take, in milliseconds. Default 10,000. */
  authenticateMs: number;
  /** How long a WebSocket may take for its `connect`, in milliseconds. Default 10,000. */
  connectMs: number;
  /** Between two signs of life, in milliseconds. Default 15,000. */
  heartbeatMs: number;
  /** How long a client may read nothing, or send nothing of a body, in milliseconds. Default 30,000. */
  stallMs: number;
  /**
   * How long a request of OpenAI's clients waits for a person to decide on its run, in milliseconds: their protocol cannot ask.
   * Default 60,000.
   */
  personMs: number;
  /** How long `close` lets runs come to rest, in milliseconds. Default 10,000. */
  drainMs: number;
}

const mebibyte = 1024 * 1024;

/** @internal */
export const defaultLimits: GatewayLimits = {
  maxBodyBytes: mebibyte,
  maxUploadBytes: 20 * mebibyte,
  maxFrameBytes: mebibyte,
  maxBufferedBytes: mebibyte / 4,
  maxBytesPerUser: 64 * mebibyte,
  maxBytesUnderWay: 512 * mebibyte,
  maxReadsPerUser: 4,
  maxConnections: 20_000,
  maxConnectionsPerUser: 2_000,
  maxRunsPerUser: 100,
  maxJobsPerUser: 100,
  maxStrangers: 500,
  maxStrangersPerAddress: 200,
  maxSubscriptions: 100,
  maxPending: 50,
  requestsPerMinute: 1200,
  failuresPerMinute: 20,
  authenticateMs: 10_000,
  connectMs: 10_000,
  heartbeatMs: 15_000,
  stallMs: 30_000,
  personMs: 60_000,
  drainMs: 10_000,
};
