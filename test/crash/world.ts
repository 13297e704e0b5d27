import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MockRequest, startMockProvider } from '../support/mock-provider.ts';
import { type Place, startPlace } from './harness/server.ts';
import type { Scenario } from './scenarios.ts';

/** Where a scenario takes place: made anew for each kill. */
export interface World {
  workspace: string;
  baseUrl: string;
  /** What the model was asked. */
  requests: readonly MockRequest[];
}

export async function inWorld<T>({ script }: Scenario, work: (world: World) => Promise<T>): Promise<T> {
  const workspace = mkdtempSync(join(tmpdir(), 'detent-crash-'));
  const web = await startWeb(workspace);
  const provider = await startMockProvider(typeof script === 'function' ? script(web.url) : script);
  try {
    return await work({ workspace, baseUrl: provider.baseUrl, requests: provider.requests });
  } finally {
    await provider.close();
    await web.close();
    rmSync(workspace, { recursive: true, force: true });
  }
}

/** Pages that note who asks for them, and take some time; `/page-1/moved` is somewhere else. */
function startWeb(workspace: string): Promise<Place> {
  return startPlace((request, response) => {
    const [, page = '', moved] = (request.url ?? '').split('/');
    appendFileSync(join(workspace, 'ledger.jsonl'), `${JSON.stringify({ tool: 'http_get', key: page })}\n`);
    setTimeout(() => {
      if (moved) response.writeHead(302, { location: `/${page}` }).end();
      else response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>It says ${page}.</p>`);
    }, 60);
  });
}
