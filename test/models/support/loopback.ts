import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RecordedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Loopback {
  /** For `createOpenAIChat`. */
  baseURL: string;
  requests: RecordedRequest[];
  /** Open connections. */
  sockets: Set<unknown>;
}

/** Serves real HTTP on the loopback until the test ends. */
export async function serve(
  answer: (response: ServerResponse, request: RecordedRequest) => unknown,
): Promise<Loopback> {
  const requests: RecordedRequest[] = [];
  const sockets = new Set<unknown>();
  const server = createServer(async (incoming, response) => {
    const request = await record(incoming);
    requests.push(request);
    await answer(response, request);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { baseURL: `http://127.0.0.1:${port}/v1`, requests, sockets };
}

async function record(incoming: IncomingMessage): Promise<RecordedRequest> {
  const { method = '', url = '', headers } = incoming;
  let body = '';
  for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
  return { method, url, headers, body };
}

/** Answers with an event stream made of these bytes, in pieces that reach the client one by one. */
export async function stream(response: ServerResponse, pieces: Iterable<Uint8Array | string>): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const piece of pieces) {
    response.write(piece);
    await new Promise(setImmediate);
  }
  response.end();
}
