import { type Place, startPlace } from '../harness/server.ts';

export interface Site extends Place {
  /** The idempotency keys of what it took, in order. */
  taken: readonly string[];
}

/** `/mail` and `/news` have something to read, `/deliver` takes a text; `/mail` and `/deliver` fail the first time. */
export async function startSite(): Promise<Site> {
  const taken: string[] = [];
  const seen = new Set<string>();
  const place = await startPlace((request, response) => {
    const path = request.url ?? '';
    const fails = path !== '/news' && !seen.has(path);
    seen.add(path);
    if (!fails && path === '/deliver') taken.push(String(request.headers['idempotency-key']));
    if (fails) response.writeHead(503).end();
    else response.end(`what ${path} has`);
  });
  return { ...place, taken };
}
