/**
 * Goes each way that `docs/architecture.md` lists, with a database in a file, and a provider and a gateway on the loopback. Prints the
 * functions of each as JSON. `scripts/write-stays.ts` starts it: what it traces ends with its process.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { WebSocket } from 'ws';
import { setup } from 'xstate';
import * as z from 'zod';
import { gatewayListener, serveWebSockets } from '../../src/gateway/adapters/node.ts';
import { createGateway } from '../../src/gateway/index.ts';
import { createDetent, defineTool } from '../../src/index.ts';
import { createScheduler } from '../../src/schedule/index.ts';
import { workflow } from '../../src/workflow/index.ts';
import { startMockProvider } from '../../test/support/mock-provider.ts';
import { type Stay, staysOf } from './stays.ts';
import { beginTracing, beginWay, stacksHere } from './trace.ts';

const ways: Record<string, Stay[]> = {};
let arriveAt: (news: string) => void = () => {};

/** Goes the way of that name, from here to the first event of that type. */
function goes(name: string, arrival: string, go: () => unknown): Promise<void> {
  return new Promise((resolve) => {
    arriveAt = (news) => {
      if (news !== arrival) return;
      arriveAt = () => {};
      ways[name] = staysOf(stacksHere());
      resolve();
    };
    beginWay();
    go();
  });
}

/** Hears of each event of a run while its row is written. */
function hearOfRows(): void {
  const db = new Sqlite(':memory:');
  const statements = Object.getPrototypeOf(db.prepare('select 1')) as Sqlite.Statement;
  db.close();
  const { run } = statements;
  statements.run = function (this: Sqlite.Statement, ...values: unknown[]) {
    if (/insert into "run_events"/.test(this.source))
      for (const value of values.flat()) arriveAt(String(value));
    return run.apply(this, values);
  };
}

const provider = await startMockProvider({
  turns: [
    { when: 'Send', answers: [{ calls: [{ name: 'send', arguments: {} }] }, { text: 'Sent.' }] },
    { answers: [{ text: 'Hello.' }] },
  ],
});
const send = defineTool({
  name: 'send',
  description: 'Sends.',
  parameters: z.strictObject({}),
  sideEffect: 'unsafe',
  run: () => 'sent',
});
const parcelSent = z.strictObject({ type: z.literal('parcel.sent') });
const parcel = workflow(
  setup({ types: { events: {} as z.infer<typeof parcelSent> } }).createMachine({
    id: 'parcel',
    version: '1',
    initial: 'packing',
    states: {
      packing: { on: { 'parcel.sent': 'sent' }, after: { 86400000: 'sent' } },
      sent: { type: 'final' },
    },
  }),
  { events: { 'parcel.sent': parcelSent } },
);
const workspace = mkdtempSync(join(tmpdir(), 'detent-stays-'));
const detent = createDetent({
  workspace,
  env: {},
  model: 'local/any',
  models: { local: { baseUrl: provider.baseUrl } },
  tools: { define: [send] },
  workflows: [parcel],
});
const scheduler = createScheduler(detent);
await scheduler.start();
const gateway = createGateway(detent);
const server = createServer(gatewayListener(gateway));
serveWebSockets(server, gateway);
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`);
await new Promise((resolve) => socket.once('open', resolve));
const request = (method: string, payload: object) =>
  socket.send(JSON.stringify({ type: 'request', id: method, method, payload }));
request('connect', { token: (await detent.tokens.create({ scopes: ['read', 'approve'] })).token });
await new Promise((resolve) => socket.once('message', resolve));
// The first run opens what later ones have open.
await detent.run('Hello?').result;

hearOfRows();
beginTracing();

await goes('prompt', 'delta', () => {
  const run = detent.run('Hello?');
  detent.on(run.runId, ({ type }) => arriveAt(type));
});

const { runId, pending } = await detent.run('Send').result;
const [question] = pending;
await goes('decision', 'confirm.decide', () =>
  request('tool.confirm', { runId, callId: question?.callId, verdict: 'approve' }),
);

const packing = detent.workflows.start(parcel, undefined);
await packing.result;
await goes('event', 'parcel.sent', () => packing.send({ type: 'parcel.sent' }));

/** Waits for the slot of a new job, and goes its way. */
async function goesOnce(jobId: string): Promise<void> {
  // With each full minute the scheduler also looks by itself.
  const soon = Date.now() + 1_000;
  const dueAt = (soon + 5_000) % 60_000 < 10_000 ? soon + 10_000 : soon;
  await scheduler.add({ jobId, at: dueAt, prompt: 'Hello?' });
  await passed(dueAt - Date.now() - 300);
  await goes('slot', 'run.start', () => {});
}
// On a busy machine the driver looks at other processes meanwhile, and sets its timer anew: the way would begin with that look.
const isOfLook = ({ file }: Stay) => file === 'src/runs/decisions/watch.ts';
for (let tries = 1; tries === 1 || (ways.slot?.some(isOfLook) && tries <= 10); tries++)
  await goesOnce(`hello${tries}`);
if (ways.slot?.some(isOfLook)) throw new Error('the machine is too busy to see the way of a slot; try again');

socket.terminate();
await scheduler.close();
await gateway.close();
server.close();
await detent.close();
await provider.close();
rmSync(workspace, { recursive: true });
console.log(JSON.stringify(ways));
