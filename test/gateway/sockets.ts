import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A raw connection to a server on loopback. */
interface RawSocket {
  socket: Socket;
  write(text: string | Buffer): void;
  /** All that came so far. */
  readonly text: string;
  /** All that came, once the other side has closed the connection. */
  closed: Promise<string>;
  /** Resolves once what came holds `part`. */
  saw(part: string): Promise<string>;
}

/** Opens a connection, and keeps its own end open until the test is over. */
export async function rawSocket(url: string): Promise<RawSocket> {
  const { port } = new URL(url);
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let text = '';
  let seen = () => {};
  socket.setEncoding('latin1');
  socket.on('data', (piece) => {
    text += String(piece);
    seen();
  });
  // A connection that is cut counts as closed.
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => {
    for (const event of ['end', 'close']) socket.on(event, () => resolve(text));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return {
    socket,
    write: (piece) => void socket.write(piece),
    get text() {
      return text;
    },
    closed,
    async saw(part) {
      while (!text.includes(part))
        await new Promise<void>((resolve) => {
          seen = resolve;
        });
      return text;
    },
  };
}

/** Sends one request as it is, and resolves with the answer and whatever follows until the connection closes. */
export async function speak(url: string, request: string | Buffer): Promise<string> {
  const raw = await rawSocket(url);
  raw.write(request);
  const answer = await raw.closed;
  raw.socket.destroy();
  return answer;
}

/** The head of a request, with the lines given, that asks for the connection to be closed. */
export function head(line: string, ...headers: readonly string[]): string {
  return [line, ...headers, 'Connection: close', '', ''].join('\r\n');
}

/** A request to become a WebSocket. */
export function upgrade(path: string, ...headers: readonly string[]): string {
  return [
    `GET ${path} HTTP/1.1`,
    ...headers,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    '',
    '',
  ].join('\r\n');
}

/** The status of an answer. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}
