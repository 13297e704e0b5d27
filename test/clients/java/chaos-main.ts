import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { gatewayListener } from '../../../src/gateway/adapters/node.ts';
import { createGateway } from '../../../src/gateway/gateway.ts';
import { defineTool } from '../../../src/index.ts';
import type { ChatModel } from '../../../src/protocol/ports/chat-model.ts';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { scriptedModel } from '../../../src/testing/index.ts';

/**
 * A gateway that is killed and started again on one database: `chaos-main.ts WORKSPACE`. A prompt names the tools that its model calls, one
 * after the other: `7: look pay`. At `/token` it gives tokens of its customer that are over after two seconds.
 */
const [workspace = ''] = process.argv.slice(2);

const model: ChatModel = {
  async generate(request, options) {
    const asked = request.messages.findLastIndex(({ role }) => role === 'user');
    const [prompt, ...later] = request.messages.slice(asked);
    const [, named = ''] = /: (.*)/.exec(prompt?.text ?? '') ?? [];
    const call = named.split(' ')[later.filter(({ role }) => role === 'tool').length];
    const pieces = Array.from(
      { length: 4 },
      (_, i) => `${call ?? 'done'} ${i} ${'äöü漢字🙂'.slice(0, 1 + i)}`,
    );
    for (const text of pieces) {
      options.onDelta({ type: 'text', text });
      await pause(Math.random() * 30);
      if (options.signal.aborted) break;
    }
    const toolCalls = call ? { toolCalls: [{ name: call, arguments: {} }] } : {};
    const line = { text: pieces.join(''), ...toolCalls };
    return scriptedModel([line]).generate(request, { ...options, onDelta: () => {} });
  },
};

const parameters = z.object({});
const look = {
  name: 'look',
  description: 'looks',
  parameters,
  sideEffect: 'readonly',
  run: () => 'seen',
} as const;
const pay = { ...look, name: 'pay', sideEffect: 'idempotent', confirm: 'user' } as const;
const detent = createDetent({
  workspace,
  env: {},
  model: 'test/chaos',
  models: { test: model },
  tools: { define: [defineTool(look), defineTool(pay)] },
  onError: (error) => console.error(String(error)),
});
await detent.runs.resume();
const many = 1e6;
const gateway = createGateway(detent, {
  limits: { requestsPerMinute: many, failuresPerMinute: many, maxRunsPerUser: many },
});
const listener = gatewayListener(gateway);
const server = createServer(async (incoming, outgoing) => {
  if (incoming.url !== '/token') return listener(incoming, outgoing);
  const request = { scopes: ['talk'], userId: 'bob', expiresAt: Date.now() + 2000 } as const;
  outgoing.end(`${(await detent.tokens.create(request)).token}\n`);
});
server.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })),
);
