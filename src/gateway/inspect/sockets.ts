import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket, WebSocketServer } from 'ws';
import type { Detent } from '../../index.ts';
import { type Caller, reachOf, type Scope } from '../../protocol/access.ts';
import { unfinishedStatuses } from '../../protocol/enums.ts';
import { DetentError } from '../../protocol/error.ts';
import { closeCodes } from '../../protocol/frames.ts';
import { asNow, type Gate, type LetIn } from '../access/gate.ts';
import { checkOwned } from '../access/owners.ts';
import { ofCaller } from '../feeds/sight.ts';
import type { GatewayLimits } from '../gateway-options.ts';
import { refuseUpgrade } from '../http/problem.ts';
import { failureOf } from '../socket/failure.ts';
import type { LiveActors, Sender } from './live/actors.ts';
import { NewRuns } from './new-runs.ts';
import { InspectSocket } from './socket.ts';
import { type Admission, type InspectPlace, inspectPlace, type Tickets } from './tickets.ts';

interface SocketsParts {
  prefix: string;
  detent: Detent;
  gate: Gate;
  limits: GatewayLimits;
  server: WebSocketServer;
  tickets: Tickets;
  actors: LiveActors;
  /** Counts a connection. Returns the function that ends the count. Throws `TOO_MANY_REQUESTS`, `TOO_MANY_CONNECTIONS`. */
  open(socket: InspectSocket, holder: string): () => void;
  /** Throws when the gateway takes no further connection. */
  refuseWhenFull(): void;
  report(error: unknown): void;
}

/** The scope that each place needs. */
const scopeOf: Readonly<Record<InspectPlace['use'], Scope>> = { follow: 'read', send: 'write' };

/** WebSockets of inspectors: see `inspectPlace`. A client is let in by a ticket in the query, or by a bearer token. */
export class InspectSockets {
  readonly #parts: SocketsParts;
  readonly #newRuns: NewRuns;
  /** Requests whose tokens are being looked up. */
  #pending = 0;

  /** @internal */
  constructor(parts: SocketsParts) {
    this.#parts = parts;
    this.#newRuns = new NewRuns(parts.detent, parts.report);
  }

  /** Takes a request for a WebSocket under `/inspect`; false if it is for something else. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, address: string): boolean {
    const [path = ''] = (request.url ?? '').split('?', 1);
    const place = inspectPlace(this.#parts.prefix, path);
    if (!place) return false;
    socket.on('error', () => {});
    this.#pending++;
    this.#upgrade(place, request, socket, head, address)
      .catch((error) => refuseUpgrade(socket, failureOf(error, this.#parts.report, null)))
      .finally(() => {
        this.#pending--;
      });
    return true;
  }

  async #upgrade(
    place: InspectPlace,
    request: IncomingMessage,
    stream: Duplex,
    head: Buffer,
    address: string,
  ): Promise<void> {
    const { gate, limits, server, detent, report } = this.#parts;
    const { origin } = request.headers;
    const host = request.headersDistinct.host?.join(', ');
    gate.checkHost(host);
    gate.checkOrigin(origin, host);
    this.#parts.refuseWhenFull();
    if (this.#pending > limits.maxStrangers)
      throw new DetentError('TOO_MANY_REQUESTS', 'too many connections; try again later', {
        retryable: true,
      });
    const { who, admission } = await this.#letIn(place, request, address);
    if (place.use === 'follow' && place.runId !== null) await checkThere(detent, who.caller, place.runId);
    // The client may have gone meanwhile.
    if (stream.destroyed) return;
    this.#parts.refuseWhenFull();
    server.handleUpgrade(request, stream, head, (webSocket) => {
      const scope = scopeOf[place.use];
      const socket = new InspectSocket(webSocket, { who, scope, limits, report });
      let close = () => {};
      try {
        close = this.#parts.open(socket, who.holder);
      } catch (error) {
        const { code, message } = failureOf(error, report, who.caller).error;
        return socket.close(4429, `${code}: ${message}`);
      }
      socket.gone.addEventListener('abort', close, { once: true });
      if (place.use === 'send')
        return receive(webSocket, this.#parts.actors.sender(who.caller, senderOf(admission)));
      this.#follow(place.runId, socket, who);
    });
  }

  #follow(runId: string | null, socket: InspectSocket, { caller }: LetIn): void {
    const { detent, limits, report } = this.#parts;
    const parts = { detent, caller, report, newRuns: this.#newRuns, maxRuns: limits.maxSubscriptions };
    if (runId === null) void followAll(socket, parts);
    else void followOne(socket, parts, runId);
  }

  /** @throws DetentError `UNAUTHORIZED`, `FORBIDDEN`, `TOO_MANY_REQUESTS`, and as `Gate.letIn` does. */
  async #letIn(
    place: InspectPlace,
    request: IncomingMessage,
    address: string,
  ): Promise<{ who: LetIn; admission: Admission | null }> {
    const { gate, tickets } = this.#parts;
    const url = new URL(request.url ?? '/', 'http://localhost');
    const ticket = url.searchParams.get('ticket');
    if (ticket !== null)
      return gate.countingFailures(address, async () => {
        const { who, admission } = tickets.take(ticket, place);
        return { who: await asNow(who, scopeOf[place.use]), admission };
      });
    const [, token = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const who = await gate.letIn(token, new Request(url), address);
    gate.count(who.holder);
    const scope = scopeOf[place.use];
    if (who.caller.scopes.includes(scope)) return { who, admission: null };
    throw new DetentError('FORBIDDEN', `${url.pathname} needs a token with the scope ${scope}`, {
      details: { missing: [scope] },
    });
  }
}

/** A program that shows a token has no name. */
function senderOf(admission: Admission | null): string | null {
  return admission?.use === 'send' ? admission.sender : null;
}

/** @throws DetentError `NOT_FOUND` for a run that is not there, or not the caller's, in the same words. */
async function checkThere(detent: Detent, caller: Caller, runId: string): Promise<void> {
  await checkOwned({ detent, caller }, runId);
  await detent.runs.ownerOf(runId, caller.tenantId);
}

/** What one sender may send in a second; the gateway reads the rest later. */
const maxMessages = 500;
const maxBytes = 2 * 1024 * 1024;
const secondMs = 1_000;

/**
 * Passes the messages of a socket to its actors, at a pace that leaves the gateway time for others.
 *
 * @internal
 */
function receive(socket: WebSocket, sender: Sender): void {
  let left = { messages: maxMessages, bytes: maxBytes };
  let timer: NodeJS.Timeout | null = null;
  const begin = () => {
    timer = null;
    left = { messages: maxMessages, bytes: maxBytes };
    if (socket.readyState === socket.OPEN && socket.isPaused) socket.resume();
  };
  socket.on('message', (data: RawData, isBinary: boolean) => {
    timer ??= setTimeout(begin, secondMs).unref();
    const text = String(data);
    left.messages--;
    left.bytes -= text.length;
    if (!isBinary) sender.take(text);
    if ((left.messages <= 0 || left.bytes <= 0) && !socket.isPaused) socket.pause();
  });
  socket.on('close', () => {
    if (timer) clearTimeout(timer);
    sender.end();
  });
}

interface FollowParts {
  detent: Detent;
  caller: Caller;
  newRuns: NewRuns;
  /** Runs that one socket follows at once. */
  maxRuns: number;
  report(error: unknown): void;
}

/** WebSocket's own codes for an end that is no failure, and for a failure of the server. */
const ended = 1000;
const failed = 1011;

/** Sends one run with its sub-runs, from its first transition on, and closes the socket behind its end. */
async function followOne(socket: InspectSocket, parts: FollowParts, runId: string): Promise<void> {
  const { detent, caller, report } = parts;
  // Sub-runs may be of agents that do not exist for the caller.
  const how = { withSubRuns: reachOf(caller) === undefined, tenantId: caller.tenantId };
  try {
    const messages = detent.runs.inspect(runId, how);
    for await (const message of untilGone(socket, messages)) if (!(await socket.deliver(message))) return;
    socket.close(ended, 'the run has ended');
  } catch (error) {
    if (DetentError.is(error) && error.code === 'CLOSED')
      return socket.close(closeCodes.goingAway, 'the gateway stops');
    const { code, message } = failureOf(error, report, caller).error;
    socket.close(failed, `${code}: ${message}`);
  }
}

/**
 * Sends all runs of the caller: the current state of runs that have not ended, new runs from their first transition on,
 * and later transitions of both.
 */
async function followAll(socket: InspectSocket, parts: FollowParts): Promise<void> {
  const { detent, caller, newRuns, maxRuns, report } = parts;
  /** The runs that are followed, the one that was quiet for longest first. */
  const followed = new Map<string, AbortController>();

  const follow = async (runId: string, from: 'start' | 'now') => {
    if (followed.has(runId)) return;
    const [[quietest, stop] = []] = followed;
    if (followed.size >= maxRuns && quietest !== undefined) {
      stop?.abort();
      followed.delete(quietest);
    }
    const left = new AbortController();
    followed.set(runId, left);
    try {
      const messages = detent.runs.inspect(runId, { from, withSubRuns: false, tenantId: caller.tenantId });
      for await (const message of untilGone(socket, messages, left.signal)) {
        if (!(await socket.deliver(message))) return;
        if (followed.get(runId) === left) {
          followed.delete(runId);
          followed.set(runId, left);
        }
      }
    } catch (error) {
      // A run that cannot be read must not stop the others.
      if (!DetentError.is(error)) report(error);
    } finally {
      if (followed.get(runId) === left) followed.delete(runId);
    }
  };

  const news = newRuns.listen(ofCaller(caller), (runs) => {
    for (const { runId } of runs) void follow(runId, 'start');
  });
  socket.gone.addEventListener('abort', news.stop, { once: true });
  try {
    await news.ready;
    const open = await detent.runs.list({
      ...ofCaller(caller),
      status: unfinishedStatuses,
      limit: maxRuns,
    });
    for (const { runId } of open.reverse()) void follow(runId, 'now');
  } catch (error) {
    const { code, message } = failureOf(error, report, caller).error;
    socket.close(failed, `${code}: ${message}`);
  }
}

/** The values of an iteration until the client disconnects or `left` aborts. */
async function* untilGone<T>(
  socket: InspectSocket,
  all: AsyncIterable<T>,
  left?: AbortSignal,
): AsyncGenerator<T> {
  const iterator = all[Symbol.asyncIterator]();
  const stop = () => void iterator.return?.().catch(() => {});
  const signals = left ? [socket.gone, left] : [socket.gone];
  for (const signal of signals) signal.addEventListener('abort', stop, { once: true });
  try {
    while (!signals.some(({ aborted }) => aborted)) {
      const { done, value } = await iterator.next();
      if (done) return;
      yield value;
    }
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', stop);
    stop();
  }
}
