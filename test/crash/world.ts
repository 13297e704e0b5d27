import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MockRequest, startMockProvider } from '../support/mock-provider.ts';
import type { World } from './harness/matrix.ts';
import { type Place, startPlace } from './harness/server.ts';
import type { Scenario } from './scenarios.ts';

export interface RunWorld extends World {
  baseUrl: string;
  /** What the model was asked. */
  requests: readonly MockRequest[];
  close(): Promise<void>;
}

export async function openRunWorld(workspace: string, { script }: Scenario): Promise<RunWorld> {
  const web = await startWeb(workspace);
  const provider = await startMockProvider(typeof script === 'function' ? script(web.url) : script);
  return {
    workspace,
    baseUrl: provider.baseUrl,
    requests: provider.requests,
    async close() {
      await provider.close();
      await web.close();
    },
  };
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
