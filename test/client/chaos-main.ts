import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { gatewayListener, serveWebSockets } from '../../src/gateway/adapters/node.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { defineTool } from '../../src/index.ts';
import type { ChatModel } from '../../src/protocol/ports/chat-model.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { scriptedModel } from '../../src/testing/index.ts';

/**
 * A gateway that is killed and started again on one database: `chaos-main.ts WORKSPACE`. Its model says a few words, piece by
 * piece, looks something up, and says more; every third run also asks a person.
 */
const [workspace = ''] = process.argv.slice(2);

const words = (text: string, n: number) =>
  Array.from({ length: n }, (_, i) => `${text} ${i} ${'äöü漢字🙂'.slice(0, 1 + (i % 6))}`);

/** Says pieces, and then all of them. */
async function say(
  pieces: readonly string[],
  reasoning: readonly string[],
  call: string | null,
  ...[request, options]: Parameters<ChatModel['generate']>
) {
  const signal = { ...options, onDelta: () => {} };
  for (const [type, list] of [
    ['reasoning', reasoning],
    ['text', pieces],
  ] as const)
    for (const text of list) {
      options.onDelta({ type, text });
      await pause(Math.random() * 40);
      if (options.signal.aborted) break;
    }
  const toolCalls = call === null ? {} : { toolCalls: [{ name: call, arguments: {} }] };
  return scriptedModel([{ text: pieces.join(''), reasoning: reasoning.join(''), ...toolCalls }]).generate(
    request,
    signal,
  );
}

const model: ChatModel = {
  generate(request, options) {
    const text = JSON.stringify(request.messages);
    const results = request.messages.filter(({ role }) => role === 'tool').length;
    if (results === 0) return say(words('one', 8), words('hm', 3), 'look', request, options);
    if (results === 1 && text.includes('ask me')) return say(words('two', 6), [], 'pay', request, options);
    return say(words('three', 10), words('so', 2), null, request, options);
  },
};

const parameters = z.object({});
const detent = createDetent({
  workspace,
  env: {},
  model: 'test/chaos',
  models: { test: model },
  tools: {
    define: [
      defineTool({
        name: 'look',
        description: 'looks',
        parameters,
        sideEffect: 'readonly',
        run: () => 'seen',
      }),
      defineTool({
        name: 'pay',
        description: 'pays',
        parameters,
        sideEffect: 'idempotent',
        confirm: true,
        run: () => 'paid',
      }),
    ],
  },
  onError: (error) => console.error(String(error)),
});
await detent.runs.resume();
const { token } = await detent.tokens.create({ scopes: ['read', 'write', 'approve', 'admin'] });
const gateway = createGateway(detent, {
  limits: { requestsPerMinute: 1e6, maxSubscriptions: 1000, failuresPerMinute: 1e6, maxRunsPerUser: 1e6 },
});
const server = createServer(gatewayListener(gateway));
serveWebSockets(server, gateway);
server.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port, token })),
);
