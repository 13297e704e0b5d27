import type { RawData, WebSocket } from 'ws';
import * as z from 'zod/mini';
import { nameOfCaller } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import {
  type Connected,
  closeCodes,
  type FeedFrame,
  type FrameError,
  type NoticeFrame,
  protocolVersion,
  type ResponseFrame,
} from '../../protocol/frames.ts';
import { parseJson } from '../../protocol/json.ts';
import { feedEvent } from '../../protocol/methods.ts';
import { answerFor } from '../access/client-answers.ts';
import { asNow, type Gate, isRefusal, type LetIn } from '../access/gate.ts';
import { CompactSink } from '../documents/compact.ts';
import { Listed } from '../documents/listed.ts';
import type { TenantFeeds } from '../feeds/feed.ts';
import type { Feeds, Sink } from '../feeds/feeds.ts';
import type { Outgoing } from '../feeds/outgoing.ts';
import { ofCaller } from '../feeds/sight.ts';
import { type Call, type Method, onlyReads, type Watching } from '../methods/method.ts';
import { dispatch, findMethod } from './dispatch.ts';
import { failureOf } from './failure.ts';
import { Outlet, type OutletParts } from './outlet.ts';

const requestFrame = z.strictObject({
  type: z.literal('request'),
  id: z.string().check(z.minLength(1), z.maxLength(200)),
  method: z.string().check(z.minLength(1), z.maxLength(100)),
  payload: z.optional(z.unknown()),
});

const connectRequest = z.strictObject({
  token: z.string().check(z.minLength(1), z.maxLength(4096)),
  minProtocol: z.optional(z.int().check(z.gte(1))),
  maxProtocol: z.optional(z.int().check(z.gte(1))),
  client: z.optional(z.string().check(z.maxLength(200))),
});

/** A request of a client. */
interface Asked {
  id: string;
  asked: Method;
  payload: unknown;
  /** What the request begins to watch; the events are sent after its response. */
  later: (() => void)[];
}

interface ConnectionParts extends OutletParts {
  feeds: Feeds;
  tenantFeeds: TenantFeeds;
  gate: Gate;
  /** The request that opened it, and the client's address: its tokens are checked like those of requests. */
  request: Request;
  address: string;
  call(who: LetIn, watching: Watching, signal: AbortSignal): Call;
  report(error: unknown): void;
  version: string;
  /** Called once, when the client is known. @throws DetentError `TOO_MANY_CONNECTIONS`. */
  connected(holder: string): void;
}

/** The key under which the feed of all runs is watched; no run has this id. */
const feedKey = '*';

/** One WebSocket: `connect`, then requests and their responses, and the events of the runs that it watches. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #outlet: Outlet;
  readonly #parts: ConnectionParts;
  readonly #watched = new Map<string, () => void>();
  /** Places for runs that are about to begin. */
  #reserved = 0;
  readonly #gone = new AbortController();
  #who: LetIn | null = null;
  /** Frames are performed in their order, however long each look at the token takes. */
  #turn: Promise<unknown> = Promise.resolve();
  #isConnecting = false;
  #pending = 0;
  /** Ends with the request that reads now. */
  #reading: Promise<unknown> | null = null;
  #isAlive = true;

  /** @internal */
  constructor(socket: WebSocket, parts: ConnectionParts) {
    this.#socket = socket;
    this.#outlet = new Outlet(socket, parts);
    this.#parts = parts;
    const deadline = setTimeout(() => {
      if (!this.#who) this.close(closeCodes.policy, 'no connect in time');
    }, parts.limits.connectMs);
    socket.on('message', this.#receive);
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    socket.on('ping', (data) => {
      if (this.#outlet.mayWrite()) socket.pong(data);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(deadline);
      this.#gone.abort();
      for (const stop of this.#watched.values()) stop();
      this.#watched.clear();
    });
  }

  /** Sends a sign of life, and ends a connection whose client gave none since the last one. */
  ping(): void {
    if (!this.#isAlive) this.#socket.terminate();
    this.#isAlive = false;
    if (this.#outlet.mayWrite()) this.#socket.ping();
  }

  /** Who the client is; null before its `connect`. */
  who(): LetIn | null {
    return this.#who;
  }

  /** Ends the connection if its token is not valid any more, or stands for another tenant or user. */
  async checkToken(): Promise<void> {
    if (!this.#who || this.#outlet.isClosing) return;
    await this.#look(this.#who).catch((error) => {
      // An error of a busy database does not mean that the token is invalid.
      if (!this.#closedBy(error)) this.#parts.report(error);
    });
  }

  async #look(who: LetIn): Promise<LetIn> {
    const before = this.#turn;
    const look = asNow(who);
    const after = () => before;
    this.#turn = look.then(after, after);
    await before;
    this.#who = await look;
    return this.#who;
  }

  /** Ends the connection if an error says that its token is not valid any more. */
  #closedBy(error: unknown): boolean {
    if (!isRefusal(error)) return false;
    this.close(closeCodes.unauthorized, 'the token is no longer valid');
    return true;
  }

  notify(notice: NoticeFrame | FeedFrame): void {
    this.#outlet.write(JSON.stringify(notice), this.#who?.holder);
  }

  close(code: number, reason: string): void {
    this.#outlet.close(code, reason);
  }

  readonly #receive = async (data: RawData, isBinary: boolean): Promise<void> => {
    // Frames that were under way when the gateway closed the connection.
    if (this.#outlet.isClosing || this.#gone.signal.aborted) return;
    const frame = isBinary ? undefined : parseJson(String(data));
    const request = requestFrame.safeParse(frame);
    if (!request.success) {
      if (!this.#who) return this.close(closeCodes.policy, 'the first frame must be a request "connect"');
      return this.#refuseFrame(isObjectWithId(frame) ? frame.id : null, this.#who.holder);
    }
    const { id, method, payload } = request.data;
    /** What the request begins to watch; the events are sent after its response. */
    const later: (() => void)[] = [];
    try {
      if (!this.#who) return await this.#connect(id, method, payload);
      this.#parts.gate.count(this.#who.holder);
      if (this.#pending >= this.#parts.limits.maxPending)
        throw new DetentError('TOO_MANY_REQUESTS', 'too many requests of this connection are in progress', {
          retryable: true,
        });
      this.#pending++;
      try {
        const asked = findMethod(method);
        const call = { id, asked, payload, later };
        await (onlyReads(asked) ? this.#inTurn(call) : this.#perform(call));
      } finally {
        this.#pending--;
      }
    } catch (error) {
      this.#refuse(id, error);
    } finally {
      for (const watch of later) watch();
    }
  };

  /** The client of a request as its token is now; null for one that was refused. */
  async #lookFor({ keyed }: Method, id: string, who: LetIn): Promise<LetIn | null> {
    try {
      return await this.#look(who);
    } catch (error) {
      // While the token cannot be checked, the client may continue to read, but change nothing.
      if (!isRefusal(error) && keyed === undefined) return who;
      this.#refuse(id, error);
      this.#closedBy(error);
      return null;
    }
  }

  /** Performs a reading request after the earlier ones are answered; the first one starts at once. */
  async #inTurn(call: Asked): Promise<void> {
    while (this.#reading) await this.#reading;
    const reading = this.#perform(call).finally(() => {
      this.#reading = null;
    });
    this.#reading = reading.catch(() => {});
    await reading;
  }

  /** An answer is made when there is room to write it. */
  async #perform({ id, asked, payload, later }: Asked): Promise<void> {
    if (!this.#outlet.hasRoom && !(await this.#outlet.drained())) return;
    const who = this.#who && (await this.#lookFor(asked, id, this.#who));
    if (!who) return;
    this.#parts.underWay.check(who.holder);
    const call = this.#parts.call(who, this.#watching(later), this.#gone.signal);
    const result = await dispatch(asked, call, payload);
    const answer = result instanceof Listed ? await result.page() : result;
    this.#respond({ type: 'response', id, ok: true, payload: answer });
  }

  /** An invalid frame counts as a request. */
  #refuseFrame(id: string | null, holder: string): void {
    try {
      this.#parts.gate.count(holder);
      throw new DetentError(
        'INVALID_FRAME',
        'a frame is text: {"type":"request","id":"…","method":"…","payload":{…}}, with an id of 1 to 200 characters and at most 200 levels of JSON',
      );
    } catch (error) {
      this.#refuse(id, error);
    }
  }

  #watching(later: (() => void)[]): Watching {
    return {
      watch: (runId, afterSeq, isCompact) => {
        if (!this.#watched.has(runId)) this.#refuseWhenFull();
        // Its place is taken at once, and kept unless the client unsubscribes before the response.
        const place = this.#watched.get(runId) ?? (() => {});
        this.#watched.set(runId, place);
        later.push(() => {
          if (this.#watched.get(runId) === place) this.#watch(runId, afterSeq, isCompact);
        });
      },
      reserve: () => {
        this.#refuseWhenFull();
        this.#reserved++;
        return () => {
          this.#reserved--;
        };
      },
      unwatch: (runId) => this.#unwatch(runId),
      watchFeed: (after) => {
        if (!this.#watched.has(feedKey)) this.#refuseWhenFull();
        const place = this.#watched.get(feedKey) ?? (() => {});
        this.#watched.set(feedKey, place);
        later.push(() => {
          if (this.#watched.get(feedKey) === place) this.#watchFeed(after);
        });
      },
      unwatchFeed: () => this.#unwatch(feedKey),
    };
  }

  #refuseWhenFull(): void {
    const { maxSubscriptions } = this.#parts.limits;
    if (this.#watched.size + this.#reserved < maxSubscriptions) return;
    throw new DetentError(
      'TOO_MANY_SUBSCRIPTIONS',
      `this connection already watches ${maxSubscriptions} runs, the maximum, so the request started nothing: unsubscribe from some, or start a run with "subscribe": false`,
      { details: { maxSubscriptions } },
    );
  }

  #watch(runId: string, afterSeq: number, isCompact: boolean): void {
    if (!this.#who || this.#gone.signal.aborted) return;
    this.#watched.get(runId)?.();
    const { caller } = this.#who;
    const ended = () => {
      if (this.#watched.get(runId) === stop) this.#watched.delete(runId);
    };
    const sink = this.#sink(runId, ended);
    const stop = this.#parts.feeds.watch(caller, runId, afterSeq, isCompact ? new CompactSink(sink) : sink);
    this.#watched.set(runId, stop);
  }

  #watchFeed(after: number): void {
    if (!this.#who || this.#gone.signal.aborted) return;
    this.#watched.get(feedKey)?.();
    const { caller } = this.#who;
    const stop = this.#parts.tenantFeeds.follow(ofCaller(caller), after, {
      send: ({ event }) => {
        if (!event) return;
        const payload = answerFor(caller, feedEvent, event) as typeof event;
        this.notify({ type: 'event', event: 'run.moved', payload });
      },
      ready: () => this.#outlet.hasRoom || this.#outlet.drained(),
      end: (error) => {
        if (this.#watched.get(feedKey) === stop) this.#watched.delete(feedKey);
        const payload = { error: this.#errorOf(error) };
        this.notify({ type: 'event', event: 'subscription.ended', payload });
      },
    });
    this.#watched.set(feedKey, stop);
  }

  #unwatch(key: string): boolean {
    this.#watched.get(key)?.();
    return this.#watched.delete(key);
  }

  #sink(runId: string, ended: () => void): Sink {
    let hasEnd = false;
    return {
      send: (outgoing: Outgoing) => {
        hasEnd ||= outgoing.event.event === 'lifecycle.end' || outgoing.event.event === 'lifecycle.error';
        this.#outlet.send(outgoing.frame);
      },
      ready: () => this.#outlet.hasRoom || this.#outlet.drained(),
      end: (error) => {
        ended();
        // A client that asked for events after the end would wait for ever.
        if (error === undefined && hasEnd) return;
        const payload = error === undefined ? {} : { error: this.#errorOf(error) };
        this.notify({ type: 'event', event: 'subscription.ended', runId, payload });
      },
    };
  }

  async #connect(id: string, method: string, payload: unknown): Promise<void> {
    const { limits, version } = this.#parts;
    if (method !== 'connect' || this.#isConnecting)
      return this.close(closeCodes.policy, 'the first frame must be a request "connect"');
    this.#isConnecting = true;
    const asked = connectRequest.safeParse(payload);
    if (!asked.success) {
      this.#refuse(id, new DetentError('INVALID_REQUEST', 'connect takes {"token":"…"}'));
      return this.close(closeCodes.policy, 'connect without a token');
    }
    const { token, minProtocol = protocolVersion, maxProtocol = protocolVersion } = asked.data;
    try {
      if (minProtocol > protocolVersion || maxProtocol < protocolVersion)
        throw new DetentError(
          'PROTOCOL_VERSION',
          `this gateway speaks version ${protocolVersion} of the frames, the client ${minProtocol} to ${maxProtocol}`,
        );
      const known = await this.#parts.gate.letIn(token, this.#parts.request, this.#parts.address);
      // The client may have disconnected meanwhile.
      if (this.#gone.signal.aborted) return;
      this.#parts.connected(known.holder);
      this.#who = known;
    } catch (error) {
      this.#refuse(id, error);
      return this.close(closeCodeOf(error), 'not let in');
    }
    const { tenantId, userId, scopes } = this.#who.caller;
    const by = nameOfCaller(this.#who.caller);
    const { maxFrameBytes, maxBufferedBytes, maxSubscriptions, heartbeatMs } = limits;
    const policy = { maxFrameBytes, maxBufferedBytes, maxSubscriptions, heartbeatMs };
    const hello: Connected = { protocol: protocolVersion, version, tenantId, userId, by, scopes, policy };
    this.#respond({ type: 'response', id, ok: true, payload: hello });
  }

  #refuse(id: string | null, error: unknown): void {
    this.#respond({ type: 'response', id, ok: false, error: this.#errorOf(error) });
  }

  #errorOf(error: unknown): FrameError {
    return failureOf(error, this.#parts.report, this.#who?.caller ?? null).error;
  }

  #respond(response: ResponseFrame): void {
    this.#outlet.write(JSON.stringify(response), this.#who?.holder);
  }
}

function closeCodeOf(error: unknown): number {
  if (DetentError.is(error) && error.code === 'TOO_MANY_CONNECTIONS') return closeCodes.tooMany;
  return isRefusal(error) ? closeCodes.unauthorized : closeCodes.tooSlow;
}

function isObjectWithId(frame: unknown): frame is { id: string } {
  return typeof frame === 'object' && frame !== null && 'id' in frame && typeof frame.id === 'string';
}
