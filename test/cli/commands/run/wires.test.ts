import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { afterwards } from '../../../support/afterwards.ts';
import { newWorkspace } from '../../../support/cli.ts';

/** A server that keeps what it was asked and answers in one piece, over whatever wire it is asked. */
async function server() {
  const asked: { path: string; body: Record<string, unknown> }[] = [];
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '';
    asked.push({ path, body: JSON.parse(Buffer.concat(chunks).toString()) });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(path.endsWith('/responses') ? responsesAnswer : messagesAnswer));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  afterwards(() => http.close());
  return { asked, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` };
}

const responsesAnswer = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'm',
  output: [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'by responses', annotations: [] }],
    },
  ],
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
};

const messagesAnswer = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'by messages' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
};

describe.concurrent('the protocol of a provider', () => {
  it.each([
    ['responses', '/v1/responses', 'by responses'],
    ['messages', '/v1/messages', 'by messages'],
  ])('is %s when --api says so', async (api, path, text) => {
    const { asked, url } = await server();
    const workspace = await newWorkspace();
    const args = ['run', 'hi', '--model', 'any/m', '--base-url', `${url}/v1`, '--api', api];
    const { code, view } = await workspace.json(args);
    expect([code, view.text, view.usage.inputTokens]).toEqual([0, text, 3]);
    expect(asked.map((one) => one.path)).toEqual([path]);
    expect(asked[0]?.body.model).toBe('m');
  });

  it('is what the configuration says of the provider', async () => {
    const { asked, url } = await server();
    const config = JSON.stringify({ models: { house: { baseUrl: url, api: 'messages' } } });
    const workspace = await newWorkspace({ 'detent.config.json': config });
    const { view } = await workspace.json(['run', 'hi', '--model', 'house/m']);
    expect([view.text, asked[0]?.path]).toEqual(['by messages', '/v1/messages']);
  });

  it('is named again when another process resumes its run', async () => {
    const { url } = await server();
    const workspace = await newWorkspace();
    const args = ['run', 'hi', '--model', 'any/m', '--base-url', `${url}/v1`, '--api', 'messages'];
    const { view } = await workspace.json(args);
    const fork = await workspace.json<{ runId: string }>(['runs', 'fork', view.runId, '--at', '1']);
    const { view: resumed } = await workspace.json(['runs', 'resume', fork.view.runId, ...args.slice(4)]);
    expect(resumed.text).toBe('by messages');
  });

  it('is one of three', async () => {
    const workspace = await newWorkspace();
    const ended = await workspace.detent(['run', 'hi', '--api', 'soap']);
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('chat, responses, messages')]);
  });
});
