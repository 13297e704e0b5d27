/** A gateway with a scripted model, jobs each minute, and runs that wait: what the others of this benchmark talk to. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { gatewayListener, serveWebSockets } from '../../src/gateway/adapters/node.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { createDetent, defineTool } from '../../src/index.ts';
import type { ChatModel } from '../../src/protocol/ports/chat-model.ts';
import { createScheduler } from '../../src/schedule/index.ts';
import { workflow } from '../../src/workflow/index.ts';
import { answered } from '../support/answer.ts';
import { askedOfChild } from '../support/child.ts';
import { megabyte, rounded } from '../support/numbers.ts';
import { pause, type ServerSample, type ServerUp } from './protocol.ts';

const { folder, users, parked, transitions } = askedOfChild<{
  folder: string;
  users: number;
  parked: number;
  transitions: number;
}>();
let unasked = 0;

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  parameters: z.object({}),
  sideEffect: 'unsafe',
  confirm: true,
  run: () => 'paid',
});
const wipe = defineTool({
  name: 'wipe',
  description: 'Must never run for a caller who may not approve.',
  parameters: z.object({}),
  sideEffect: 'unsafe',
  confirm: true,
  run() {
    unasked++;
    return 'wiped';
  },
});
/** Leaves behind a promise that rejects and a timer that throws. */
const stray = defineTool({
  name: 'stray',
  description: 'Leaves failures behind.',
  parameters: z.object({}),
  sideEffect: 'readonly',
  run() {
    void Promise.reject(new Error('a promise that nobody waits for'));
    setTimeout(() => {
      throw new Error('a timer that throws');
    }, 5);
    return 'done';
  },
});
const model: ChatModel = {
  async generate({ messages }, { onDelta }) {
    const last = messages.at(-1);
    const asked = last?.role === 'user' ? last.text : '';
    const name = ['pay', 'wipe', 'stray'].find((word) => asked.includes(`do ${word}`));
    if (name) return answered('', name);
    const text = asked.includes('do long')
      ? 'many words '.repeat(20_000)
      : 'an answer of some words '.repeat(10);
    for (let at = 0; at < 10; at++) {
      const piece = text.slice((at * text.length) / 10, ((at + 1) * text.length) / 10);
      onDelta({ type: 'text', text: piece });
      await pause(20);
    }
    return answered(text);
  },
};
const long = workflow(
  setup({
    types: { context: {} as { n: number; text: string }, events: {} as { type: 'more' } },
    actions: { grow: assign(({ context: { n } }) => ({ n: n + 1, text: `${n} ${'x'.repeat(200_000)}` })) },
  }).createMachine({
    id: 'long',
    version: '1',
    context: { n: 0, text: '' },
    initial: 'open',
    states: { open: { on: { more: { actions: 'grow' } } } },
  }),
);

const detent = createDetent({
  workspace: folder,
  model: 'test/words',
  models: { test: model },
  tools: { define: [pay, wipe, stray] },
  workflows: [long],
  agents: { staff: { systemPrompt: 'You serve the staff.' } },
  env: {},
});
const scheduler = createScheduler(detent);
const gateway = createGateway(detent, { scheduler });
const server = createServer(gatewayListener(gateway));
serveWebSockets(server, gateway);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

for (const jobId of ['every-minute', 'also-every-minute'])
  await scheduler.add({ jobId, cron: '* * * * *', prompt: 'a word about the minute' });
await scheduler.start();
for (let n = 0; n < parked; n++) await detent.run('do pay', { sessionId: `parked ${n}` }).result;
const { token: attackerToken } = await detent.tokens.create({ userId: 'mallory', scopes: ['read', 'write'] });
const own = { principal: { tenantId: 1, userId: 'mallory', claims: {} } };
const approved = detent.run('hello', { sessionId: 'mallory approved', approve: 'all', ...own });
const approvedRunId = await approved.started;
await approved.result;
const longRunId = await detent.workflows.start('long', null, own).started;
for (let n = 0; n < transitions; n++) await detent.workflows.send(longRunId, { type: 'more' });
const tokens: string[] = [];
for (let n = 0; n < users; n++) {
  const { token } = await detent.tokens.create({ userId: `user${n}`, scopes: ['read', 'write', 'approve'] });
  tokens.push(token);
}

const histogram = monitorEventLoopDelay({ resolution: 10 });
histogram.enable();
const late = (nanoseconds: number) => rounded(Math.max(0, nanoseconds / 1e6 - 10), 1);
process.on('message', (message) => {
  if (message !== 'sample') return;
  const delay = {
    during: '',
    p50: late(histogram.percentile(50)),
    p99: late(histogram.percentile(99)),
    max: late(histogram.max),
  };
  histogram.reset();
  const rssMb = rounded(process.memoryUsage.rss() / megabyte, 1);
  const handles = process.getActiveResourcesInfo().length;
  process.send?.({ rssMb, handles, delay, unasked } satisfies ServerSample);
});
process.send?.({ port, tokens, attackerToken, longRunId, approvedRunId } satisfies ServerUp);
process.once('disconnect', async () => {
  await gateway.close();
  server.close();
  await scheduler.close();
  await detent.close();
  process.exit();
});
