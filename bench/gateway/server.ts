/** A server of streams: Detent's gateway, or `node:http` with `ws` and nothing else. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { gatewayListener, serveWebSockets } from '../../src/gateway/adapters/node.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { createDetent } from '../../src/index.ts';
import { scopes } from '../../src/protocol/access.ts';
import type { ChatModel } from '../../src/protocol/ports/chat-model.ts';
import { answered } from '../support/answer.ts';
import { megabyte, rounded } from '../support/numbers.ts';
import { type Pace, pause, pieceText, type ServerTask, type ServerUp, type ServerUsed } from './protocol.ts';

const go = new Promise<void>((resolve) => process.on('message', (message) => message === 'go' && resolve()));

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Serves streams, and resolves once they can be watched. `ended` resolves when all have ended. */
type Serve = (task: ServerTask) => Promise<ServerUp & { ended: Promise<unknown> }>;

const serveDetent: Serve = async ({ streams, pace, folder }) => {
  const model: ChatModel = {
    async generate(_request, { onDelta }) {
      await go;
      let text = '';
      await streamed(pace, () => {
        const piece = pieceText();
        text += piece;
        onDelta({ type: 'text', text: piece });
      });
      return answered(text);
    },
  };
  const detent = createDetent({ workspace: folder, model: 'test/stream', models: { test: model }, env: {} });
  const gateway = createGateway(detent);
  const server = createServer(gatewayListener(gateway));
  serveWebSockets(server, gateway);
  const port = await listening(server);
  const { token } = await detent.tokens.create({ scopes });
  const runs = Array.from({ length: streams }, (_, n) => detent.run('go', { sessionId: `s${n}` }));
  const ids = await Promise.all(runs.map(({ started }) => started));
  return { port, token, streams: ids, ended: Promise.all(runs.map(({ result }) => result)) };
};

const serveFloor: Serve = async ({ streams, pace }) => {
  const watchers = Array.from({ length: streams }, () => new Set<WebSocket>());
  const server = createServer((_request, response) => response.end());
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => {
      const { id, method, payload } = JSON.parse(String(data));
      if (method === 'run.subscribe') watchers[Number(payload.runId)]?.add(socket);
      socket.send(JSON.stringify({ type: 'response', id, ok: true, payload: {} }));
    });
  });
  const port = await listening(server);
  const stream = async (n: number) => {
    await go;
    let offset = 0;
    await streamed(pace, () => {
      const content = pieceText();
      const payload = { effectId: 1, attempt: 1, offset, content, contentType: 'text' };
      offset += content.length;
      const frame = JSON.stringify({ type: 'event', event: 'assistant.delta', runId: String(n), payload });
      for (const socket of watchers[n] ?? []) if (socket.bufferedAmount < megabyte / 4) socket.send(frame);
    });
  };
  const ended = Promise.all(watchers.map((_, n) => stream(n)));
  return { port, token: 'none', streams: watchers.map((_, n) => String(n)), ended };
};

async function streamed({ pieces, everyMs }: Pace, emit: () => void): Promise<void> {
  for (let n = 0; n < pieces; n++) {
    await pause(everyMs);
    emit();
  }
}

const [task] = (await once(process, 'message')) as [ServerTask];
const { ended, ...up } = await (task.kind === 'detent' ? serveDetent : serveFloor)(task);
process.send?.(up);
await go;
const before = process.cpuUsage();
await ended;
const { user, system } = process.cpuUsage(before);
const used: ServerUsed = {
  cpuMs: rounded((user + system) / 1000, 0),
  rssMb: rounded(process.memoryUsage.rss() / megabyte, 0),
};
process.send?.(used);
process.on('disconnect', () => process.exit());
