/** One process of a cluster: a gateway, a worker, or both in one. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gatewayListener, serveWebSockets } from '../../src/gateway/adapters/node.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import type { ChatModel } from '../../src/index.ts';
import { scopes } from '../../src/protocol/access.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { pause, pieceText } from '../gateway/protocol.ts';
import { answered, look } from '../support/answer.ts';

export interface MemberTask {
  role: 'gateway' | 'worker' | 'both' | 'alone';
  /** Holds the workspace, and the database where there is no address. */
  folder: string;
  url?: string;
  dispatcher: 'rows' | 'pg-boss';
}

export interface MemberUp {
  /** Of a gateway. */
  at?: { url: string; token: string };
}

/** What this process used since the last question. */
export interface MemberUsed {
  cpuMs: number;
}

/** How a stream goes: so many pieces, so far apart. */
export const pace = { pieces: 60, everyMs: 25 };

const { role, folder, url, dispatcher } = JSON.parse(process.argv[2] ?? '{}') as MemberTask;

/** Asks for a tool, then answers; slowly and in pieces if it is asked to stream. */
const model: ChatModel = {
  async generate({ messages }, { onDelta }) {
    const last = messages.at(-1);
    if (last?.role === 'user' && last.text !== 'stream') return answered('', 'look');
    if (last?.role !== 'user') return answered('It is there.');
    let text = '';
    for (let n = 0; n < pace.pieces; n++) {
      await pause(pace.everyMs);
      const piece = pieceText();
      text += piece;
      onDelta({ type: 'text', text: piece });
    }
    return answered(text);
  },
};
const detent = createDetent({
  workspace: folder,
  env: {},
  model: 'bench/model',
  models: { bench: model },
  tools: { define: [look], allowed: ['look'] },
  dispatcher,
  ...(url === undefined ? {} : { database: { url } }),
  ...(role === 'gateway' && { drivesRuns: false }),
});
let used = process.cpuUsage();
process.on('message', async (message) => {
  if (message === 'used') {
    const { user, system } = process.cpuUsage(used);
    used = process.cpuUsage();
    process.send?.({ cpuMs: (user + system) / 1_000 } satisfies MemberUsed);
    return;
  }
  await detent.close();
  process.exit();
});
if (role === 'worker' || role === 'both') await detent.runs.resume();
else await detent.runs.list();
process.send?.((role === 'worker' ? {} : { at: await served() }) satisfies MemberUp);

async function served(): Promise<NonNullable<MemberUp['at']>> {
  const gateway = createGateway(detent, { limits: { requestsPerMinute: 1e9 } });
  const server = createServer(gatewayListener(gateway));
  serveWebSockets(server, gateway);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { token } = await detent.tokens.create({ scopes });
  return { url: `http://127.0.0.1:${port}`, token };
}
