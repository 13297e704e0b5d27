import type { ResponseCreateParamsStreaming } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { responsesRequestBody } from '../../../../src/models/openai/responses/responses-request.ts';
import type { PromptMessage } from '../../../../src/protocol/ports/chat-model.ts';
import { stateless } from '../../support/generate.ts';
import { serve, stream } from '../../support/loopback.ts';
import { asMessage, completed, functionCall, generate, message, read, reasoning } from './support.ts';

const weather = {
  name: 'weather',
  description: 'The weather at a place',
  parameters: {
    type: 'object',
    properties: { place: { type: 'string' }, unit: { type: 'string' } },
    required: ['place'],
  },
};

type AssistantMessage = Extract<PromptMessage, { role: 'assistant' }>;

function inputOf(messages: PromptMessage[], reliance = stateless): Record<string, unknown>[] {
  const request = { model: 'a-model', messages, tools: [weather] };
  return responsesRequestBody(request, reliance).input as Record<string, unknown>[];
}

function assistant(fields: Partial<AssistantMessage>): AssistantMessage {
  return { role: 'assistant', text: '', reasoning: '', toolCalls: [], ...fields };
}

/** What a later request sends of an answer with this output. */
function replayed(
  output: Record<string, unknown>[],
  change: (answer: PromptMessage) => PromptMessage = (one) => one,
) {
  return inputOf([change(asMessage(read([completed(output)]).answer))]);
}

function answering() {
  return serve((response) => stream(response, [completed([message('Hi')])]));
}

describe('the request', () => {
  it('is what the official SDK would send', async () => {
    const { baseURL, requests } = await answering();
    const messages: PromptMessage[] = [
      { role: 'system', text: 'Be brief.' },
      { role: 'user', text: 'Weather in 北京?' },
      assistant({
        reasoning: 'I need the tool.',
        toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{"place": "北京"}' }],
      }),
      { role: 'tool', toolCallId: 'call_1', name: 'weather', text: '12 °C', isError: false },
      assistant({ text: '12 °C.' }),
      { role: 'system', text: 'Now in Kelvin.' },
      { role: 'user', text: 'Again.' },
    ];
    await generate(baseURL, {
      request: { model: 'gpt-x', messages, tools: [weather], maxOutputTokens: 500 },
    });
    const expected: ResponseCreateParamsStreaming = {
      model: 'gpt-x',
      instructions: 'Be brief.',
      input: [
        { type: 'message', role: 'user', content: 'Weather in 北京?' },
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"place": "北京"}' },
        { type: 'function_call_output', call_id: 'call_1', output: '12 °C' },
        { type: 'message', role: 'assistant', content: '12 °C.' },
        { type: 'message', role: 'system', content: 'Now in Kelvin.' },
        { type: 'message', role: 'user', content: 'Again.' },
      ],
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      tools: [{ type: 'function', ...weather, strict: false }],
      max_output_tokens: 500,
    };
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual(expected);
  });

  it('goes to the right place with the key, the idempotency key and own headers, and no machine details', async () => {
    const { baseURL, requests } = await answering();
    await generate(`${baseURL}/`, { headers: { 'X-Title': 'Detent' } });
    const [request] = requests;
    expect(request).toMatchObject({ method: 'POST', url: '/v1/responses' });
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer sk-test-key',
      'content-type': 'application/json',
      'idempotency-key': 'run:1',
      'x-title': 'Detent',
    });
    expect(Object.keys(request?.headers ?? {}).filter((name) => name.startsWith('x-stainless'))).toEqual([]);
  });

  it('has neither tools nor instructions nor a limit when there are none', () => {
    const body = responsesRequestBody(
      { model: 'm', messages: [{ role: 'user', text: 'Hi' }], tools: [] },
      stateless,
    );
    expect(Object.keys(body).sort()).toEqual(['include', 'input', 'model', 'store', 'stream']);
  });

  it('asks for no stream when a whole answer is wanted', async () => {
    const { baseURL, requests } = await answering();
    await generate(baseURL, { request: { stream: false } });
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ stream: false });
  });

  it('is never empty, even when there are but instructions', () => {
    expect(inputOf([{ role: 'system', text: 'Say hello.' }])).toEqual([
      { type: 'message', role: 'system', content: 'Say hello.' },
    ]);
  });

  it('mends what servers refuse in a conversation', () => {
    const toolCalls = [{ id: 'c', name: 'web.search', arguments: '{"a":' }];
    expect(inputOf([assistant({ toolCalls }), { role: 'user', text: 'cut \ud83d' }])).toEqual([
      { type: 'function_call', call_id: 'c', name: 'web_search', arguments: '{}' },
      { type: 'message', role: 'user', content: 'cut \ufffd' },
    ]);
  });

  it('leaves out answers of nothing', () => {
    expect(inputOf([assistant({ reasoning: 'Hm.' })])).toEqual([]);
  });
});

describe('earlier answers go back', () => {
  const thought = reasoning({
    summary: [{ type: 'summary_text', text: 'Hm.' }],
    encrypted_content: 'gAAA',
    status: 'completed',
  });
  const sentThought = {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'Hm.' }],
    encrypted_content: 'gAAA',
  };
  const sentCall = { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"place":"Rome"}' };
  const call = functionCall('c1', 'weather', '{"place":"Rome"}');

  it('as text and calls, when they are all', () => {
    expect(read([completed([message('Hi'), call], { id: '' })]).answer.providerData).toBeUndefined();
    expect(replayed([message('Hi'), call])).toEqual([
      { type: 'message', role: 'assistant', content: 'Hi' },
      sentCall,
    ]);
  });

  it('with reasoning in its place, as it was encrypted', () => {
    expect(replayed([thought, call])).toEqual([sentThought, sentCall]);
  });

  it('with reasoning in plain words, as open models give it', () => {
    const content = [{ type: 'reasoning_text', text: 'Hm.' }];
    expect(replayed([reasoning({ content }), call])).toEqual([
      { type: 'reasoning', id: 'rs_1', summary: [], content },
      sentCall,
    ]);
  });

  it('without reasoning that is but a name, or that led to nothing', () => {
    expect(replayed([reasoning(), call])).toEqual([sentCall]);
    expect(replayed([message('Hi'), thought])).toEqual([
      { type: 'message', role: 'assistant', content: 'Hi' },
    ]);
  });

  it('with the phases of their messages', () => {
    const [first, last] = [
      message('Wait.', { phase: 'commentary' }),
      message('Done.', { id: 'msg_2', phase: 'final_answer' }),
    ];
    expect(replayed([first, last])).toEqual([
      { type: 'message', role: 'assistant', content: 'Wait.', phase: 'commentary' },
      { type: 'message', role: 'assistant', content: 'Done.', phase: 'final_answer' },
    ]);
  });

  it('with what the server did itself, as it came', () => {
    const search = {
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: { type: 'search', query: 'x' },
    };
    const sent = replayed([search, message('Found.')]);
    expect(sent).toEqual([search, { type: 'message', role: 'assistant', content: 'Found.' }]);
  });

  it('with calls under the ids and arguments that the conversation has', () => {
    const renamed = (answer: PromptMessage): PromptMessage => {
      if (answer.role !== 'assistant') return answer;
      return { ...answer, toolCalls: [{ id: 'ours', name: 'weather', arguments: '{}' }] };
    };
    expect(replayed([thought, functionCall('c1', 'weather', '{', { namespace: 'n' })], renamed)).toEqual([
      sentThought,
      { type: 'function_call', namespace: 'n', call_id: 'ours', name: 'weather', arguments: '{}' },
    ]);
  });

  it('without calls that were never taken up, and the reasoning before them', () => {
    expect(replayed([thought, call], (answer) => ({ ...answer, toolCalls: [] }) as PromptMessage)).toEqual(
      [],
    );
  });

  it('without their items to another model', () => {
    const answer = asMessage(read([completed([thought, call])]).answer);
    const request = { model: 'another-model', messages: [answer], tools: [weather] };
    expect(responsesRequestBody(request, stateless).input).toEqual([sentCall]);
  });

  it('without data that another wire has kept', () => {
    const foreign = assistant({
      text: 'Hi',
      providerData: { reasoning_details: [{ type: 'reasoning.text' }] },
    });
    expect(inputOf([foreign])).toEqual([{ type: 'message', role: 'assistant', content: 'Hi' }]);
  });
});
