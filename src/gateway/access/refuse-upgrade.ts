import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { problemOf } from '../http/problem.ts';
import type { Failure } from '../socket/failure.ts';

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
