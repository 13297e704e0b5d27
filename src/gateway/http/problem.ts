import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Failure } from '../socket/failure.ts';

/** Seconds after which a client may try again, for errors that pass. */
const retryAfter = '5';

/** An error as a problem document. See RFC 9457. */
export function problem(failure: Failure): Response {
  const { headers, body } = problemOf(failure);
  return new Response(body, { status: failure.status, headers });
}

/** The parts of that document, for answers that are none of `fetch`. */
function problemOf({ status, error }: Failure): { headers: Headers; body: string } {
  const { code, message, retryable, details } = error;
  const body = {
    type: 'about:blank',
    title: code,
    status,
    detail: message,
    code,
    retryable,
    ...(details && { details }),
  };
  const headers = new Headers({ 'content-type': 'application/problem+json', 'cache-control': 'no-store' });
  if (status === 401) headers.set('www-authenticate', 'Bearer');
  if (status === 429 || status === 503) headers.set('retry-after', retryAfter);
  return { headers, body: JSON.stringify(body) };
}

/** Answers a request for a WebSocket with a problem document. A client that keeps its end open, or reads nothing, must not keep the socket. */
export function refuseUpgrade(socket: Duplex, failure: Failure): void {
  const { status } = failure;
  const { headers, body } = problemOf(failure);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}`,
    'Connection: close',
    ...[...headers].map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
