import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Detent } from '../index.ts';
import type { Caller } from '../protocol/access.ts';
import { DetentError } from '../protocol/error.ts';
import { closeCodes } from '../protocol/frames.ts';
import { version } from '../runtime/config.ts';
import type { Scheduler } from '../schedule/api.ts';
import { createScheduler } from '../schedule/scheduler.ts';
import { createLimiter, inTime, type Limiter } from '../text/limiter.ts';
import { Gate, type LetIn } from './access/gate.ts';
import { Logins } from './access/logins.ts';
import { namedTenants } from './access/named-tenants.ts';
import { type Opened, TokenChecks, whileLetIn } from './access/token-checks.ts';
import { Places, RunPlaces } from './documents/places.ts';
import { TenantFeeds } from './feeds/feed.ts';
import { Feeds } from './feeds/feeds.ts';
import { defaultLimits, type GatewayLimits } from './gateway-options.ts';
import type { OpenStream, Peer } from './http/http-parts.ts';
import { problem, refuseUpgrade } from './http/problem.ts';
import { routes } from './http/routes.ts';
import { LiveActors } from './inspect/live/actors.ts';
import { LiveLayouts } from './inspect/live/layouts.ts';
import type { InspectSocket } from './inspect/socket.ts';
import { InspectSockets } from './inspect/sockets.ts';
import { type Admission, inspectPlace, pathOf, Tickets } from './inspect/tickets.ts';
import type { Call, TrustSource, Watching } from './methods/method.ts';
import { openPage } from './page/page.ts';
import type { ServeOptions } from './serve-options.ts';
import { Connection } from './socket/connection.ts';
import { calmReport, failureOf } from './socket/failure.ts';
import { Strangers, weigh } from './socket/strangers.ts';
import { BytesUnderWay } from './socket/under-way.ts';

/** A gateway to a Detent, for clients over HTTP and WebSockets. It listens nowhere itself: a server hands it requests. */
export interface Gateway {
  /** The path that it is mounted under; empty at the root. */
  readonly prefix: string;
  /** Where WebSockets connect. */
  readonly webSocketPath: string;
  /** Whether a WebSocket that asks for this URL (its path, with or without a query) is the gateway's. */
  takesWebSocket(url: string): boolean;
  /**
   * Answers an HTTP request under the prefix. Never rejects.
   *
   * @param peer what the server knows of the connection; without an address, failed logins of all clients count together
   */
  handler(request: Request, peer?: Peer): Promise<Response>;
  /**
   * Takes a connection that asks to become a WebSocket, if it asks for `webSocketPath` or a path under `/inspect`.
   *
   * @param peer as of `handler`. Without it the address of the connection counts
   * @returns false if the connection is not for the gateway; then it is left untouched for others
   */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, peer?: Peer): boolean;
  /**
   * Calls `authenticate` at once for clients with open connections, and closes those that are no longer allowed: for a
   * user that logged out or lost rights. Resolves when that is done in this process; call it in the other processes,
   * too.
   *
   * @param whose default: all clients
   */
  checkTokens(whose?: (caller: Caller) => boolean): Promise<void>;
  /** The code of a link that logs a page in: once, within five minutes. */
  loginCode(): string;
  /**
   * Stops: new runs are refused, those that it started come to rest if they do so in time, and then all connections end. The
   * Detent stays open.
   */
  close(): Promise<void>;
}

/**
 * Makes a gateway, to be mounted in a server of your own: see `detent/node`, `detent/express`, `detent/fastify` and
 * `detent/hono`.
 *
 * @example
 * ```ts
 * const detent = createDetent();
 * const gateway = createGateway(detent, { prefix: '/agent', hosts: ['api.shop.example'], authenticate });
 * app.use(gatewayForExpress(gateway));
 * ```
 * @throws DetentError `INVALID_CONFIG`.
 */
export function createGateway(detent: Detent, options: ServeOptions = {}): Gateway {
  return new MountedGateway(detent, options);
}

class MountedGateway implements Gateway {
  readonly prefix: string;
  readonly webSocketPath: string;
  readonly #detent: Detent;
  readonly #scheduler: Scheduler;
  readonly #limits: GatewayLimits;
  readonly #trust: TrustSource | null;
  readonly #version = version();
  readonly #report: (error: unknown) => void;
  readonly #gate: Gate;
  readonly #feeds: Feeds;
  readonly #unwatch: () => void;
  readonly #tenantFeeds: TenantFeeds;
  readonly #logins: Logins;
  readonly #server: WebSocketServer;
  readonly #connections = new Set<Connection | InspectSocket>();
  readonly #strangers: Strangers;
  readonly #streams = new Set<OpenStream>();
  readonly #places: Places;
  readonly #underWay: BytesUnderWay;
  readonly #reads: Limiter;
  readonly #runs: RunPlaces;
  readonly #tickets = new Tickets();
  readonly #actors = new LiveActors();
  readonly #layouts = new LiveLayouts();
  readonly #inspectSockets: InspectSockets;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #app: ReturnType<typeof routes>;
  readonly #ended = new AbortController();
  readonly #tokens: TokenChecks;
  readonly #isHealthAlone: boolean;
  #isDraining = false;
  #closing: Promise<void> | null = null;

  constructor(detent: Detent, options: ServeOptions) {
    const { authenticate, prefix = '', hosts, origins = [] } = options;
    if (!/^(?:\/[\w.~-]+)*$/.test(prefix))
      throw new DetentError(
        'INVALID_CONFIG',
        'prefix of a gateway is a path such as "/agent", without a slash at its end',
      );
    this.#detent = detent;
    this.#isHealthAlone = options.isHealthAlone ?? false;
    this.#trust = options.trust ?? null;
    this.#scheduler = options.scheduler ?? createScheduler(detent);
    this.prefix = prefix;
    this.webSocketPath = `${prefix}/ws`;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#report = calmReport(options.onError);
    this.#strangers = new Strangers(this.#limits);
    this.#feeds = new Feeds(detent);
    this.#unwatch = detent.runs.watchedBy((...run) => this.#feeds.isWatched(...run));
    this.#tenantFeeds = new TenantFeeds(detent);
    const own = options.own ?? [];
    this.#gate = new Gate({
      authenticate,
      tokens: detent.tokens,
      users: detent.users,
      tenantNamed: namedTenants(detent),
      own,
      hosts,
      origins,
      limits: this.#limits,
      report: this.#report,
    });
    this.#tokens = new TokenChecks(detent);
    this.#logins = new Logins(detent);
    this.#places = new Places(this.#limits.maxConnectionsPerUser, {
      code: 'TOO_MANY_CONNECTIONS',
      message: 'this user has too many WebSockets and event streams: close one of them first',
    });
    this.#underWay = new BytesUnderWay(this.#limits.maxBytesPerUser, this.#limits.maxBytesUnderWay);
    this.#reads = createLimiter({}, this.#limits.maxReadsPerUser);
    this.#runs = new RunPlaces(this.#limits.maxRunsPerUser);
    this.#server = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      // The connection answers pings, unless the client reads nothing.
      autoPong: false,
      maxPayload: this.#limits.maxFrameBytes,
      clientTracking: false,
    });
    this.#inspectSockets = new InspectSockets({
      prefix,
      detent,
      gate: this.#gate,
      limits: this.#limits,
      server: this.#server,
      tickets: this.#tickets,
      actors: this.#actors,
      open: (socket, holder) => this.#open(this.#connections, socket, holder, socket),
      refuseWhenFull: () => this.#refuseWhenFull(),
      report: this.#report,
    });
    this.#app = routes({
      prefix,
      page: openPage(options.page ?? false, prefix),
      gate: this.#gate,
      logins: this.#logins,
      loginKey: options.loginKey ?? null,
      feeds: this.#feeds,
      tenantFeeds: this.#tenantFeeds,
      limits: this.#limits,
      underWay: this.#underWay,
      call: (who, signal) => this.#call(who, null, signal),
      checkReady: () => this.#checkReady(),
      isHealthAlone: this.#isHealthAlone,
      open: (stream, who) => this.#openStream(stream, who),
      report: this.#report,
    });
    this.#heartbeat = setInterval(() => this.#beat(), this.#limits.heartbeatMs).unref();
  }

  async handler(request: Request, peer: Peer = {}): Promise<Response> {
    try {
      return await this.#app.fetch(request, peer);
    } catch (error) {
      // Code of the host may throw a value that is not an `Error`, for example.
      return problem(failureOf(error, this.#report, null));
    }
  }

  takesWebSocket(url: string): boolean {
    const [path = ''] = url.split('?', 1);
    if (this.#isHealthAlone) return false;
    return path === this.webSocketPath || inspectPlace(this.prefix, path) !== null;
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, peer?: Peer): boolean {
    if (this.#isHealthAlone) return false;
    const [path] = (request.url ?? '').split('?');
    const { address = '' } = peer ?? { address: request.socket.remoteAddress };
    if (path !== this.webSocketPath)
      return this.#inspectSockets.handleUpgrade(request, socket, head, address);
    socket.on('error', () => {});
    try {
      const { origin } = request.headers;
      // A header that comes twice matches no name.
      const host = request.headersDistinct.host?.join(', ');
      this.#gate.checkHost(host);
      this.#gate.checkOrigin(origin, host);
      this.#refuseWhenFull();
      this.#strangers.makeRoom(address);
    } catch (error) {
      refuseUpgrade(socket, failureOf(error, this.#report, null));
      return true;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const url = `http://${request.headers.host ?? 'localhost'}${request.url ?? '/'}`;
      const connection: Connection = new Connection(webSocket, {
        stream: socket,
        limits: this.#limits,
        feeds: this.#feeds,
        tenantFeeds: this.#tenantFeeds,
        underWay: this.#underWay,
        gate: this.#gate,
        request: new Request(url),
        address,
        call: (who, watching, signal) => this.#call(who, watching, signal),
        report: this.#report,
        version: this.#version,
        connected: (holder) => {
          giveBack = this.#places.take(holder);
          this.#strangers.delete(connection);
          stopWeighing();
        },
      });
      let giveBack = () => {};
      const stopWeighing = weigh(socket, () => webSocket.terminate());
      this.#connections.add(connection);
      const unwatch = this.#tokens.add(connection);
      this.#strangers.add(connection, address);
      webSocket.on('close', () => {
        unwatch();
        giveBack();
        this.#connections.delete(connection);
        this.#strangers.delete(connection);
      });
    });
    return true;
  }

  checkTokens(whose: (caller: Caller) => boolean = () => true): Promise<void> {
    return this.#tokens.check(({ caller }) => whose(caller));
  }

  loginCode(): string {
    return this.#logins.newCode();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isDraining = true;
    for (const connection of this.#connections)
      connection.notify({ type: 'event', event: 'gateway.draining', payload: {} });
    await inTime(
      this.#rested().catch(() => {}),
      this.#limits.drainMs,
    );
    clearInterval(this.#heartbeat);
    this.#ended.abort();
    for (const { stop } of [...this.#streams]) stop();
    for (const connection of this.#connections) connection.close(closeCodes.goingAway, 'the gateway stops');
    this.#server.close();
    this.#unwatch();
  }

  /**
   * Resolves when the runs that continue here rest and their clients have the last events, which are sent after a run
   * has come to rest.
   */
  async #rested(): Promise<void> {
    await this.#detent.runs.rested();
    await this.#feeds.caughtUp();
  }

  #call(who: LetIn, watching: Watching | null, signal: AbortSignal): Call {
    const { caller, holder } = who;
    return {
      detent: this.#detent,
      scheduler: this.#scheduler,
      caller,
      feed: this.#tenantFeeds,
      watching,
      waiting: (wait) =>
        whileLetIn(
          who,
          { tokens: this.#tokens, signals: [signal, this.#ended.signal], report: this.#report },
          wait,
        ),
      waitedFor: (runId, wait) => this.#feeds.waitedFor(runId, caller.tenantId, wait),
      refuseNewRuns: () => {
        if (this.#isDraining)
          throw new DetentError('DRAINING', 'the gateway is about to stop: try again in some seconds', {
            retryable: true,
          });
      },
      readTurn: () => this.#reads.acquire(holder, signal),
      runs: this.#runs.of(holder, caller.maxRuns),
      trust: this.#trust,
      inspect: {
        ticket: (admission) => this.#ticket(who, admission),
        actors: this.#actors,
        layout: (definition) => this.#layouts.of(definition),
      },
      maxJobsPerUser: this.#limits.maxJobsPerUser,
    };
  }

  async #checkReady(): Promise<void> {
    if (this.#isDraining)
      throw new DetentError('DRAINING', 'the gateway is about to stop', { retryable: true });
    await this.#detent.checkReady();
  }

  #refuseWhenFull(): void {
    if (this.#ended.signal.aborted)
      throw new DetentError('DRAINING', 'the gateway has stopped', { retryable: true });
    if (this.#connections.size + this.#streams.size >= this.#limits.maxConnections)
      throw new DetentError('TOO_MANY_REQUESTS', 'too many connections; try again later', {
        retryable: true,
      });
  }

  #openStream(stream: OpenStream, who: LetIn): () => void {
    this.#refuseWhenFull();
    const checked = { who: () => who, checkToken: () => stream.checkToken() };
    return this.#open(this.#streams, stream, who.holder, checked);
  }

  /** @returns what to do when it has closed */
  #open<T>(among: Set<T>, opened: T, holder: string, checked: Opened): () => void {
    const giveBack = this.#places.take(holder);
    among.add(opened);
    const unwatch = this.#tokens.add(checked);
    return () => {
      unwatch();
      among.delete(opened);
      giveBack();
    };
  }

  #ticket(who: LetIn, admission: Admission): { ticket: string; path: string; expiresAt: number } {
    const { ticket, expiresAt } = this.#tickets.make(who, admission);
    return { ticket, path: `${pathOf(this.prefix, admission)}?ticket=${ticket}`, expiresAt };
  }

  #beat(): void {
    for (const connection of [...this.#connections]) connection.ping();
    this.#tokens.beat();
  }
}

export type { TrustSource } from './methods/method.ts';
export type { ServeOptions } from './serve-options.ts';
