/** One process with many runs that wait for a person: makes them, or takes them over and has all of them decided. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { gatewayListener, serveWebSockets } from '../../src/gateway/adapters/node.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { createDetent, defineTool } from '../../src/index.ts';
import { scopes } from '../../src/protocol/access.ts';
import type { ChatModel } from '../../src/protocol/ports/chat-model.ts';
import { answered } from '../support/answer.ts';
import { askedOfChild } from '../support/child.ts';
import { megabyte, rounded } from '../support/numbers.ts';

export interface ParkedTask {
  folder: string;
  runs: number;
  /** Whether to make them, or to take them over and decide them. */
  phase: 'park' | 'resume';
}

export interface ParkedResult {
  /** Resident memory before the runs, and with them. */
  beforeMb: number;
  withMb: number;
  /** Until the process had opened the database and taken over what there is. */
  startMs: number;
  /** Until all were decided over the gateway and had ended. */
  decidedMs: number;
  /** How often the tool of the runs was executed, in this process. */
  executed: number;
  done: number;
}

const { folder, runs, phase } = askedOfChild<ParkedTask>();
let executed = 0;
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  parameters: z.object({}),
  sideEffect: 'unsafe',
  confirm: true,
  run() {
    executed++;
    return 'paid';
  },
});
const model: ChatModel = {
  async generate({ messages }) {
    const isPaid = messages.some(({ role }) => role === 'tool');
    return isPaid ? answered('paid') : answered('', 'pay');
  },
};

const rss = () => {
  globalThis.gc?.();
  return rounded(process.memoryUsage.rss() / megabyte, 1);
};

/** Works off many tasks, some at a time. */
async function each<Task>(tasks: readonly Task[], work: (task: Task) => Promise<unknown>, atOnce = 20) {
  const left = [...tasks];
  const worker = async () => {
    for (let task = left.pop(); task !== undefined; task = left.pop()) await work(task);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

const began = performance.now();
const detent = createDetent({
  workspace: folder,
  model: 'test/pay',
  models: { test: model },
  tools: { define: [pay] },
  env: {},
});
const gateway = createGateway(detent, { limits: { requestsPerMinute: 1e9 } });
const server = createServer(gatewayListener(gateway));
serveWebSockets(server, gateway);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
await detent.runs.resume();
const startMs = rounded(performance.now() - began, 0);
// What the first run loads is none of the parked ones' cost.
await detent.run('first', { sessionId: `first ${phase}` }).result;
const beforeMb = rss();

if (phase === 'park') {
  await each(
    Array.from({ length: runs }, (_, n) => `s${n}`),
    (session) => detent.run('pay', { sessionId: session }).result,
  );
  const result: ParkedResult = { beforeMb, withMb: rss(), startMs, decidedMs: 0, executed, done: 0 };
  console.log(JSON.stringify(result));
} else {
  const waiting = await detent.runs.list({ status: ['waiting'], limit: runs + 10 });
  const { token } = await detent.tokens.create({ scopes });
  const { port } = server.address() as AddressInfo;
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  await once(socket, 'open');
  const answers = new Map<string, () => void>();
  socket.on('message', (data) => {
    const { id, ok, error } = JSON.parse(String(data));
    if (!ok) throw new Error(error.message);
    answers.get(id)?.();
  });
  const ask = (id: string, method: string, payload: object) =>
    new Promise<void>((resolve) => {
      answers.set(id, resolve);
      socket.send(JSON.stringify({ type: 'request', id, method, payload }));
    });
  await ask('0', 'connect', { token });
  const from = performance.now();
  const parked = waiting.filter(({ sessionId }) => !sessionId.startsWith('first'));
  await each(parked, async ({ runId }) => {
    const { pending } = await detent.runs.show(runId);
    const callId = pending[0]?.callId;
    await ask(runId, 'tool.confirm', { runId, callId, verdict: 'approve' });
    await ask(`${runId}w`, 'agent.wait', { runId });
  });
  const decidedMs = rounded(performance.now() - from, 0);
  const done = (await detent.runs.list({ status: ['done'], limit: runs + 10 })).length;
  const result: ParkedResult = { beforeMb, withMb: rss(), startMs, decidedMs, executed, done };
  console.log(JSON.stringify(result));
  socket.terminate();
}
await gateway.close();
server.close();
await detent.close();
