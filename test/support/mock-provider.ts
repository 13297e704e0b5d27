import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type MockAnswer, play } from './mock-answer.ts';
import { type MockRequest, type MockScript, type MockSlot, slotOf } from './mock-script.ts';

export type { MockAnswer } from './mock-answer.ts';
export { type MockRequest, type MockScript, type MockSlot, textOf } from './mock-script.ts';

/** A real HTTP server on the loopback that speaks OpenAI's chat completions as its script says. */
export interface MockProvider {
  /** For `--base-url`. */
  readonly baseUrl: string;
  /** In the order of their coming. */
  readonly requests: readonly MockRequest[];
  /** Resolves when `count` requests have come. */
  arrived(count: number): Promise<void>;
  /** From now on the script is this one, from its start. */
  play(script: MockScript): void;
  close(): Promise<void>;
}

/**
 * Starts a provider on a free port. A request that the script does not foresee is answered with 500 and says so.
 *
 * `GET /requests` answers what has come, so that another process can ask too.
 */
export async function startMockProvider(script: MockScript, port = 0): Promise<MockProvider> {
  const requests: MockRequest[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let current = script;
  let count = 0;
  /** How often each slot was asked for. */
  let tries = new Map<MockSlot, number>();

  const answerOf = (request: MockRequest): MockAnswer => {
    const slot = slotOf(current, request, count++);
    if (slot === null) return unforeseen(request);
    if (!Array.isArray(slot)) return slot;
    const tried = tries.get(slot) ?? 0;
    tries.set(slot, tried + 1);
    return slot[Math.min(tried, slot.length - 1)] ?? {};
  };

  const server = createServer((message, response) => {
    void handle(message, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });

  const handle = async (message: IncomingMessage, response: ServerResponse) => {
    if (message.method === 'GET') return void response.end(JSON.stringify(requests));
    const request = await readRequest(message);
    requests.push(request);
    for (const waiter of waiting) if (requests.length >= waiter.count) waiter.resolve();
    await play(answerOf(request), request.body.model, request.body.stream === true, response);
  };

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    arrived: (wanted) =>
      new Promise((resolve) => {
        if (requests.length >= wanted) resolve();
        else waiting.push({ count: wanted, resolve });
      }),
    play(next) {
      current = next;
      count = 0;
      tries = new Map();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readRequest(message: IncomingMessage): Promise<MockRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return { headers: message.headers, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
}

function unforeseen({ body }: MockRequest): MockAnswer {
  const last = JSON.stringify(body.messages.at(-1));
  const error = { message: `the script has no answer to ${last}`, type: 'unforeseen' };
  return { status: 500, headers: { 'x-should-retry': 'false' }, body: { error } };
}
