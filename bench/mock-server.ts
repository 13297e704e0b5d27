/**
 * A chat-completions server that answers at once. It runs in a process of its own, to measure its CPU time separately.
 *
 * Model `mock-N` calls the tool `lookup` until the request carries N results after the last user message, then says that
 * all steps are done. It keeps no state. Tells its parent its port, and ends with it.
 *
 * @module
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ChatRequest {
  model: string;
  stream_options?: { include_usage?: boolean };
  messages: { role: string }[];
}

type Delta = Record<string, unknown>;

const words = ['The ', 'answer ', 'is ', 'ready', ': ', 'all ', 'steps ', 'done.'];
const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
let served = 0;

function answer({ model, messages, stream_options }: ChatRequest): string {
  const rounds = Number(/mock-(\d+)/.exec(model)?.[1] ?? 10);
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  const done = messages.slice(lastUser).filter((message) => message.role === 'tool').length;
  const calls = done < rounds;
  const head = { id: `chatcmpl-${++served}`, object: 'chat.completion.chunk', created: 1, model };
  const choice = (delta: Delta, reason: string | null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const chunks: unknown[] = (calls ? callDeltas(done) : textDeltas()).map((delta) => choice(delta, null));
  chunks.push(choice({}, calls ? 'tool_calls' : 'stop'));
  if (stream_options?.include_usage) chunks.push({ ...head, choices: [], usage });
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`;
}

function callDeltas(step: number): Delta[] {
  const call = {
    index: 0,
    id: `call_${step}`,
    type: 'function',
    function: { name: 'lookup', arguments: '' },
  };
  const piece = (text: string) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] });
  return [{ role: 'assistant', content: null, tool_calls: [call] }, piece('{"step":'), piece(`${step}}`)];
}

function textDeltas(): Delta[] {
  return words.map((content, i) => (i === 0 ? { role: 'assistant', content } : { content }));
}

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(answer(JSON.parse(Buffer.concat(parts).toString()) as ChatRequest));
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
