import { describe, expect, it } from 'vitest';
import { serve } from '../../support/loopback.ts';
import {
  added,
  asMessage,
  completed,
  created,
  event,
  functionCall,
  generate,
  hello,
  message,
  read,
  reasoning,
  response,
  textDelta,
} from './support.ts';

const started = created + textDelta(0, 'Once');

describe('a failing stream', () => {
  const failed = (error: unknown) =>
    event('response.failed', { response: response({ status: 'failed', error }) });

  it.each([
    [
      'an event',
      event('error', { code: 'rate_limit_exceeded', message: 'Slow down', param: null }),
      'rate_limit',
      'Slow down',
    ],
    [
      'an event with the error inside',
      event('error', { error: { type: 'server_error', code: null, message: 'Oops' } }),
      'server',
      'Oops',
    ],
    ['an event of text', 'event: error\ndata: Out of memory\n\n', 'server', 'Out of memory'],
    [
      'data alone',
      'data: {"error":{"message":"Too big","type":"invalid_request_error"}}\n\n',
      'bad_request',
      'Too big',
    ],
    ['a failed response', failed({ code: 'server_error', message: 'Oops' }), 'server', 'Oops'],
    [
      'a failed response, for good',
      failed({ code: 'invalid_prompt', message: 'Not this' }),
      'bad_request',
      'Not this',
    ],
    ['a failed response without words', failed(null), 'server', 'failed'],
    [
      'a cancelled response',
      event('response.cancelled', { response: response({ status: 'cancelled' }) }),
      'server',
      'cancelled',
    ],
    [
      'a prompt that is too long',
      failed({ code: 'context_length_exceeded', message: 'Your input exceeds the context window' }),
      'bad_request',
      'too long',
    ],
  ])('is told by %s, and keeps what had come', (_, report, kind, words) => {
    const { answer } = read([started, report, textDelta(0, ' more'), completed([message('Once more')])]);
    expect(answer).toMatchObject({ text: 'Once', error: { kind } });
    expect(answer.error?.message).toContain(words);
    expect(answer.providerData).toBeUndefined();
  });

  it('tells what had come whole only', () => {
    const part = event('response.output_text.done', { output_index: 0, content_index: 0, text: 'Once' });
    const { answer, deltas } = read([created, part, event('error', { message: 'Oops' })]);
    expect(answer.text).toBe('Once');
    expect(deltas).toEqual([{ type: 'text', text: 'Once' }]);
  });

  it('is given up when it grows without end', () => {
    const endless = Array.from({ length: 40 }, () => textDelta(0, 'x'.repeat(100)));
    expect(() => read([created, ...endless], 2_000)).toThrow('more than 2000 characters');
    const search = (i: number) => ({ type: 'web_search_call', id: `ws_${i}`, status: 'x'.repeat(400) });
    const items = Array.from({ length: 10 }, (_, i) =>
      event('response.output_item.done', { output_index: i, item: search(i) }),
    );
    expect(() => read([created, ...items], 2_000)).toThrow('more than 2000 characters');
  });
});

describe('a refused request is made again', () => {
  type Body = Record<string, unknown>;

  /** Refuses with this message while `isWrong`. */
  async function picky(isWrong: (body: Body) => boolean, message_: string) {
    const bodies: Body[] = [];
    const loopback = await serve((response, request) => {
      const body = JSON.parse(request.body) as Body;
      bodies.push(body);
      if (!isWrong(body)) return void response.end(completed([message('Hi')]));
      response
        .writeHead(400)
        .end(JSON.stringify({ error: { message: message_, type: 'invalid_request_error' } }));
    });
    return { ...loopback, bodies };
  }

  const thought = reasoning({ encrypted_content: 'gAAA' });
  const earlier = asMessage(read([completed([thought, functionCall('c1', 'a', '{}')])]).answer);
  const conversation = [
    ...hello,
    earlier,
    { role: 'tool' as const, toolCallId: 'c1', name: 'a', text: '1', isError: false },
  ];

  it('without asking for reasoning, where a model has none', async () => {
    const { baseURL, bodies } = await picky(
      (body) => 'include' in body,
      'Encrypted content is not supported with this model.',
    );
    expect((await generate(baseURL)).answer).toMatchObject({ text: 'Hi', error: null });
    expect(bodies).toHaveLength(2);
  });

  it('without earlier reasoning, where the server cannot read it', async () => {
    const { baseURL, bodies } = await picky(
      (body) => JSON.stringify(body.input).includes('gAAA'),
      'The encrypted content for item rs_1 could not be verified.',
    );
    const { answer } = await generate(baseURL, { request: { messages: conversation } });
    expect(answer).toMatchObject({ text: 'Hi', error: null });
    expect(bodies[1]?.input).toMatchObject([
      { role: 'user' },
      { type: 'function_call' },
      { type: 'function_call_output' },
    ]);
  });

  it('without a thread that the server reports as lost inside the stream', async () => {
    const bodies: Body[] = [];
    const { baseURL } = await serve((response, request) => {
      const body = JSON.parse(request.body) as Body;
      bodies.push(body);
      const error = { code: 'previous_response_not_found', message: 'Gone.' };
      response.end('previous_response_id' in body ? event('error', { error }) : completed([message('Hi')]));
    });
    const { answer } = await generate(baseURL, { threading: true });
    const messages = [...hello, asMessage(answer), ...hello];
    const again = await generate(baseURL, { threading: true, request: { messages } });
    expect(again.answer).toMatchObject({ text: 'Hi', error: null });
    expect(bodies.map((body) => 'previous_response_id' in body)).toEqual([false, true, false]);
  });

  it('never for another reason, nor when nothing would change', async () => {
    const other = await picky(() => true, 'Unknown parameter: tools.');
    expect((await generate(other.baseURL)).answer.error).toMatchObject({ kind: 'bad_request' });
    expect(other.bodies).toHaveLength(1);
    const same = await picky(
      () => true,
      "Item 'rs_1' of type 'reasoning' was provided without its required item.",
    );
    expect((await generate(same.baseURL, { threading: true })).answer.error).toMatchObject({
      kind: 'bad_request',
    });
    expect(same.bodies).toHaveLength(1);
  });

  it('never for a prompt that is too long, as it would only be longer', async () => {
    const { baseURL, bodies } = await picky(
      () => true,
      'Input and reasoning: maximum context length is 10 tokens.',
    );
    const { answer } = await generate(baseURL, { request: { messages: conversation } });
    expect(answer.error?.code).toBe('MODEL_CONTEXT_OVERFLOW');
    expect(bodies).toHaveLength(1);
  });

  it('without what lost its other half when the conversation was shortened', async () => {
    const output = { type: 'program_output', id: 'po_1', call_id: 'c9', result: '1' };
    const orphan = asMessage(read([completed([output, message('One.')])]).answer);
    const { baseURL, bodies } = await picky(
      (body) => JSON.stringify(body.input).includes('program_output'),
      'No tool call found for program output with call_id c9.',
    );
    const { answer } = await generate(baseURL, { request: { messages: [orphan, ...hello] } });
    expect(answer).toMatchObject({ text: 'Hi', error: null });
    expect(bodies[1]?.input).toMatchObject([{ content: 'One.' }, { content: 'Hello' }]);
  });

  it('never after something was said', async () => {
    const { baseURL, requests } = await serve((response) =>
      response.end(
        created + added(0, message('')) + textDelta(0, 'Once') + event('error', { message: 'include' }),
      ),
    );
    expect((await generate(baseURL)).answer).toMatchObject({ text: 'Once', error: { kind: 'server' } });
    expect(requests).toHaveLength(1);
  });
});
