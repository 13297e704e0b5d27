import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from '../../support/listening.ts';

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
  const url = await listening(server);
  return {
    url,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
