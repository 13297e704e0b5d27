import { describe, expect, it } from 'vitest';
import { requestViolations } from '../../support/wire-rules/anthropic-messages.ts';
import { serve, stream } from '../support/loopback.ts';
import { rememberedBlocks, sumOf } from '../support/recordings.ts';
import {
  block,
  callBlock,
  event,
  generate,
  messageEnd,
  messageStart,
  messageStop,
  textBlock,
} from './support.ts';

const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'a' } };
const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
const paused = [messageStart(), textBlock(0, 'Let me see. '), block(1, search), messageEnd('pause_turn')];

/** Answers each request with the next stream, and the last one again and again. */
function serveInTurn(...answers: string[][]) {
  const turns = serve((response) => stream(response, answers[Math.min(count++, answers.length - 1)] ?? []));
  let count = 0;
  return turns;
}

describe('a turn that the server pauses', () => {
  it('is sent back, and goes on in the same answer', async () => {
    const rest = [
      messageStart({ id: 'msg_2' }),
      block(0, found),
      textBlock(1, 'Found it.'),
      callBlock(2, 'toolu_1', 'add', '{"a": 1}'),
      messageEnd('tool_use'),
    ];
    const { baseURL, requests } = await serveInTurn(paused, rest);
    const { answer, deltas } = await generate(baseURL);
    expect(answer).toMatchObject({
      text: 'Let me see. Found it.',
      toolCalls: [{ id: 'toolu_1', name: 'add', arguments: '{"a": 1}' }],
      finishReason: 'tool_use',
      usage: { inputTokens: 20, outputTokens: 10 },
      error: null,
    });
    expect(sumOf(deltas)).toMatchObject({ text: answer.text, toolCalls: answer.toolCalls });
    expect(rememberedBlocks(answer)?.map(({ type }) => type)).toEqual([
      'text',
      'server_tool_use',
      'web_search_tool_result',
      'text',
      'tool_use',
    ]);
    const [first, second] = requests.map(({ body }) => JSON.parse(body));
    expect(requestViolations(first)).toEqual([]);
    expect(second.messages).toEqual([
      ...first.messages,
      { role: 'assistant', content: [{ type: 'text', text: 'Let me see. ' }, search] },
    ]);
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual(['run:1', 'run:1:1']);
  });

  it('goes on as often as it is paused, up to a limit', async () => {
    let count = 0;
    const { baseURL, requests } = await serve((response) => {
      count++;
      return stream(response, [
        messageStart({ id: `msg_${count}` }),
        textBlock(0, `${count} `),
        messageEnd('pause_turn'),
      ]);
    });
    const { answer } = await generate(baseURL);
    expect(answer).toMatchObject({
      text: '1 2 3 4 5 6 7 8 9 ',
      finishReason: 'pause_turn',
      finish: 'unknown',
      error: null,
    });
    expect(requests).toHaveLength(9);
    expect(JSON.parse(requests[2]?.body ?? '').messages.at(-1)).toEqual({
      role: 'assistant',
      content: [
        { type: 'text', text: '1 ' },
        { type: 'text', text: '2' },
      ],
    });
  });

  it('stays as it is when the server only says the same again', async () => {
    const { baseURL, requests } = await serveInTurn(paused);
    const { answer } = await generate(baseURL);
    expect(answer).toMatchObject({
      text: 'Let me see. ',
      finishReason: 'pause_turn',
      usage: { inputTokens: 10, outputTokens: 5 },
      error: null,
    });
    expect(requests).toHaveLength(2);
  });

  it('fails as a whole when it cannot go on, and keeps what had come', async () => {
    const overloaded = event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
    const { baseURL } = await serveInTurn(paused, [messageStart({ id: 'msg_2' }), overloaded]);
    const { answer } = await generate(baseURL);
    expect(answer).toMatchObject({ text: 'Let me see. ', error: { kind: 'overloaded', retryable: true } });
  });

  it('goes on also when its connection was lost behind the pause', async () => {
    const rest = [messageStart({ id: 'msg_2' }), textBlock(0, 'Found it.'), messageEnd()];
    const { baseURL, requests } = await serve((response) => {
      if (requests.length > 1) return stream(response, rest);
      response.writeHead(200);
      response.write(paused.join('').replace(messageStop, ''), () => response.socket?.resetAndDestroy());
    });
    const { answer } = await generate(baseURL);
    expect(answer).toMatchObject({ text: 'Let me see. Found it.', finish: 'stop', error: null });
  });

  it('stops when it is aborted between its parts', async () => {
    const controller = new AbortController();
    const { baseURL, requests } = await serve((response) => {
      if (requests.length === 1) return stream(response, paused);
      controller.abort();
    });
    const { answer } = await generate(baseURL, { signal: controller.signal });
    expect(answer).toMatchObject({ text: 'Let me see. ', error: { kind: 'aborted' } });
  });
});
