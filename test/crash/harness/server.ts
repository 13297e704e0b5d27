import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A place outside that processes call, and that outlives them. */
export interface Place {
  url: string;
  close(): Promise<void>;
}

export async function startPlace(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Place> {
  const server = createServer((request, response) => {
    // The process that asked may be dead by then.
    response.on('error', () => {});
    request.resume();
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
