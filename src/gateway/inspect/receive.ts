import type { RawData, WebSocket } from 'ws';
import type { Sender } from './live/actors.ts';

/** What one sender may send in a second; the gateway reads the rest later. */
const maxMessages = 500;
const maxBytes = 2 * 1024 * 1024;
const secondMs = 1_000;

/**
 * Passes the messages of a socket to its actors, at a pace that leaves the gateway time for others.
 *
 * @internal
 */
export function receive(socket: WebSocket, sender: Sender): void {
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
