import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type HttpGetOptions, httpGetTool } from '../../../src/tools/builtin/http-get.ts';
import { callTool } from '../helpers.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export const publicAddress = '93.184.216.34';

/**
 * A server on loopback that `http_get` finds under the names of a stub resolver. Names lead to a public address, which
 * is checked as such and dialled as loopback; nothing leaves the machine.
 */
export async function webServer(handler: Handler) {
  const requests: IncomingMessage[] = [];
  const open = new Set<unknown>();
  const server = createServer((request, response) => {
    requests.push(request);
    response.on('error', () => {});
    handler(request, response);
  });
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const dialled: string[] = [];
  const asked: string[] = [];
  /** @param names where names lead, one answer after the other; all others are public. */
  const get = (
    url: string,
    { names = {}, ...options }: HttpGetOptions & { names?: Record<string, string[][]>; args?: object } = {},
    signal?: AbortSignal,
  ) => {
    const { args, ...rest } = options;
    const tool = httpGetTool({
      resolve: async (host) => {
        asked.push(host);
        const answers = names[host];
        const answer = (answers && answers.length > 1 ? answers.shift() : answers?.[0]) ?? [publicAddress];
        return answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      },
      dial: (address) => {
        dialled.push(address);
        return '127.0.0.1';
      },
      ...rest,
    });
    return callTool(tool, { url, ...args }, signal && { signal });
  };
  return {
    port,
    get,
    requests,
    dialled,
    asked,
    open,
    url: (path = '/') => `http://web.example:${port}${path}`,
  };
}
