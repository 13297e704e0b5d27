import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';

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
