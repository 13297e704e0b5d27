import { lookup } from 'node:dns/promises';
import { type IncomingMessage, request } from 'node:http';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Egress } from './egress.ts';

export interface Answer {
  status: number;
  statusText: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: IncomingMessage;
}

/** The size at which an answer's header fails it. */
const maxHeaderSize = 64 * 1024;

export interface Sent {
  /** Default GET. */
  method?: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
}

/**
 * Sends one request over an open connection, plain or TLS, and resolves with the head of the response. The body is a
 * stream with back-pressure; destroying it closes the connection.
 */
export function exchange(
  socket: Socket,
  url: URL,
  { method = 'GET', headers, body: sent }: Sent,
  signal: AbortSignal,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const exchange = request({
    method,
    createConnection: () => socket,
    path: `${url.pathname}${url.search}`,
    // Set here, because `request` would derive the default port from plain HTTP.
    headers: {
      host: url.host,
      ...(sent !== undefined && { 'content-length': Buffer.byteLength(sent) }),
      ...headers,
    },
    maxHeaderSize,
    signal,
  });
  exchange.on('response', (body) => {
    // A reader of the body gets the error. Without this listener the error of an unread body would end the process.
    body.on('error', () => {});
    const { statusCode: status = 0, statusMessage: statusText = '' } = body;
    resolve({ status, statusText, headers: body.headers, body });
  });
  exchange.on('error', reject);
  exchange.end(sent);
  return promise;
}

interface ResolvedAddress {
  address: string;
  family: number;
}

/** All addresses of a host, in the order in which they are to be tried. */
type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>;

export interface ConnectorOptions {
  egress: Egress;
  /** Default: the system's resolver, hosts file included. */
  resolve?: Resolve;
  /** Maps a checked address to the one to dial, for tests that must not leave the machine. */
  dial?: (address: string) => string;
  signal: AbortSignal;
}

const systemResolve: Resolve = (host) => lookup(host, { all: true, order: 'verbatim' });

/**
 * Opens a connection to a checked address of a URL's host. It resolves the host once, checks every address of the answer,
 * and dials these addresses. So a name cannot be public when it is checked and private when it is used (DNS rebinding).
 *
 * @throws ToolFailure `EGRESS_BLOCKED`; the error of the resolver, the socket or TLS; the signal's reason.
 */
export async function openChecked(
  { hostname, protocol, port }: URL,
  { egress, resolve = systemResolve, dial = (address) => address, signal }: ConnectorOptions,
): Promise<Socket> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const found = isIP(host) ? [{ address: host, family: isIP(host) }] : await resolve(host);
  signal.throwIfAborted();
  if (found.length === 0) throw new Error(`${host} has no address`);
  // One private address is enough to refuse: an honest name does not resolve to both kinds.
  for (const { address } of found) egress.checkAddress(host.replace(/\.+$/, ''), address);
  const dialled = found.map(({ address }) => dial(address));
  const secure = protocol === 'https:';
  const socket = connectTcp({
    host: dialled.length === 1 ? (dialled[0] ?? host) : host,
    port: Number(port) || (secure ? 443 : 80),
    lookup: answering(dialled),
    signal,
  });
  await opened(socket, 'connect');
  if (!secure) return socket;
  const tls = connectTls({ socket, ALPNProtocols: ['http/1.1'], ...(!isIP(host) && { servername: host }) });
  await opened(tls, 'secureConnect');
  return tls;
}

/** A lookup function that returns the checked addresses, and never resolves again. */
function answering(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    const [first] = all;
    if (options.all) callback(null, all);
    else if (first) callback(null, first.address, first.family);
  };
}

function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once(event, resolve);
  socket.once('error', reject);
  return promise.finally(() => {
    socket.off(event, resolve);
    socket.off('error', reject);
  });
}
