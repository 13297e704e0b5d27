import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Site {
  url: string;
  /** The idempotency keys of what it took, in order. */
  taken: readonly string[];
  close(): Promise<void>;
}

/** `/mail` and `/news` have something to read, `/deliver` takes a text; `/mail` and `/deliver` fail the first time. */
export async function startSite(): Promise<Site> {
  const taken: string[] = [];
  const seen = new Set<string>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const fails = path !== '/news' && !seen.has(path);
    seen.add(path);
    // The process that asked may be dead by then.
    response.on('error', () => {});
    request.resume();
    if (!fails && path === '/deliver') taken.push(String(request.headers['idempotency-key']));
    if (fails) response.writeHead(503).end();
    else response.end(`what ${path} has`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
