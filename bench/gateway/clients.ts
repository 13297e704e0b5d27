/** Many clients in one process, each watching one stream. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { quantile } from '../support/numbers.ts';
import { type ClientsSaw, type ClientsTask, preciseNow } from './protocol.ts';

/** Sockets that are opened at the same time. */
const atOnce = 50;

const [task] = (await once(process, 'message')) as [ClientsTask];
const url = `ws://127.0.0.1:${task.port}/ws`;
const latencies: number[] = [];
let first = 0;
let last = 0;
let left = task.clients;
let done = () => {};
const allSaw = new Promise<void>((resolve) => {
  done = resolve;
});

async function open(n: number, isDeaf: boolean): Promise<void> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await once(socket, 'open');
  const ask = async (id: string, method: string, payload: object) => {
    socket.send(JSON.stringify({ type: 'request', id, method, payload }));
    for (;;) {
      const [data] = await once(socket, 'message');
      if (String(data).startsWith('{"type":"response"')) return;
    }
  };
  await ask('1', 'connect', { token: task.token });
  await ask('2', 'run.subscribe', { runId: task.streams[n % task.streams.length] });
  if (isDeaf) return socket.pause();
  let pieces = 0;
  socket.on('message', (data) => {
    const now = preciseNow();
    const text = String(data);
    const at = text.indexOf('"content":"@');
    if (at < 0 || !text.includes('assistant.delta')) return;
    latencies.push(now - Number(text.slice(at + 12, text.indexOf('@', at + 12))));
    first ||= now;
    last = now;
    if (++pieces === task.pieces && --left === 0) done();
  });
  socket.on('close', (code) => {
    if (pieces < task.pieces) console.error(`a client was closed with ${code} after ${pieces} pieces`);
  });
}

const deaf = Array.from({ length: task.deaf }, (_, n) => [n, true] as const);
const all = [...Array.from({ length: task.clients }, (_, n) => [n, false] as const), ...deaf];
for (let from = 0; from < all.length; from += atOnce)
  await Promise.all(all.slice(from, from + atOnce).map(([n, isDeaf]) => open(n, isDeaf)));
process.send?.('watching');
await allSaw;
const saw: ClientsSaw = {
  deliveries: latencies.length,
  spanMs: last - first,
  p50: quantile(latencies, 0.5),
  p99: quantile(latencies, 0.99),
};
process.send?.(saw);
process.on('disconnect', () => process.exit());
