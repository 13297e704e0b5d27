import { describe, expect, it } from 'vitest';
import { toBlocks } from '../../src/agent/messages/blocks.ts';
import { toPrompt } from '../../src/agent/prompt/projection.ts';
import { messagesRequestBody } from '../../src/models/anthropic/messages-request.ts';
import { quirksOf } from '../../src/models/catalogue/presets.ts';
import { chatRequestBody } from '../../src/models/openai/chat-request.ts';
import { responsesRequestBody } from '../../src/models/openai/responses/responses-request.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { PromptMessage } from '../../src/protocol/ports/chat-model.ts';
import type { AssistantBody, StoredMessage } from '../../src/store/stored-message.ts';
import { chatRuleViolations } from '../support/openai-rules.ts';
import { requestViolations } from '../support/wire-rules/anthropic-messages.ts';
import { chatCompletionViolations } from '../support/wire-rules/openai-chat.ts';
import { responsesViolations } from '../support/wire-rules/openai-responses.ts';

// What random sessions found. Each of these made every later request of its session one that a provider refuses.

const whole = { store: false, thread: false, include: true, items: true, strict: true, output: true };
const half = 'cut \ud83d';

interface Call {
  id?: string;
  name?: string;
  arguments?: string;
}

/** A call and its result, as the answer of a provider that wants `providerData` back. */
function called(call: Call, providerData?: JsonObject, text = ''): PromptMessage[] {
  const { id = 'call_1', name = 'look' } = call;
  const toolCalls = [{ id, name, arguments: call.arguments ?? '{}' }];
  return [
    { role: 'user', text: 'go' },
    { role: 'assistant', text, reasoning: '', toolCalls, ...(providerData && { providerData }) },
    { role: 'tool', toolCallId: id, name, text: 'done', isError: false },
  ];
}

function bodies(messages: PromptMessage[]) {
  const request = { model: 'm', messages, tools: [] };
  const chat = chatRequestBody(request, quirksOf('', 'openrouter'));
  const responses = responsesRequestBody(request, whole);
  const anthropic = messagesRequestBody(request, { maxTokens: null, promptCaching: true, thinking: null });
  expect(chatCompletionViolations(chat, 'gateway')).toEqual([]);
  expect(responsesViolations(responses)).toEqual([]);
  expect(requestViolations(anthropic)).toEqual([]);
  return { chat, responses, anthropic };
}

describe('a session goes on after', () => {
  it('a call by a name of more than 64 characters', () => {
    const { chat, responses } = bodies(called({ name: 'x'.repeat(80) }));
    for (const body of [chat, responses])
      expect(JSON.stringify(body)).toContain(`"name":"${'x'.repeat(64)}"`);
  });

  it('a call under an id that is too long for the wire that comes next', () => {
    const { responses } = bodies(called({ id: 'x'.repeat(70) }));
    const [, call, output] = responses.input as JsonObject[];
    expect(output?.call_id).toBe(call?.call_id);
  });

  it('arguments with half of a surrogate pair, as an escape', () => {
    const { anthropic } = bodies(called({ arguments: '{"text":"cut \\ud83d","\\udc00":[1]}' }));
    expect(JSON.stringify(anthropic)).toContain('{"text":"cut \ufffd","\ufffd":[1]}');
  });

  it('a signed thought with half of a surrogate pair: it cannot be mended, so it is left out', () => {
    const thought = { type: 'thinking', thinking: half, signature: 'c2ln' };
    const { anthropic } = bodies(called({}, { anthropic_content: [thought, { type: 'tool_use' }] }));
    expect(JSON.stringify(anthropic)).not.toContain('c2ln');
  });

  it('reasoning with half of a surrogate pair, on OpenAI’s wires', () => {
    const reasoning = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [],
      content: [{ type: 'reasoning_text', text: half }],
    };
    const kept = { openai_responses: { model: 'm', items: [reasoning, { type: 'function_call' }] } };
    expect(JSON.stringify(bodies(called({}, kept)).responses)).toContain('cut \ufffd');
    const details = { reasoning_details: [{ type: 'reasoning.text', text: half, signature: 'c2ln' }] };
    expect(JSON.stringify(bodies(called({}, details)).chat)).not.toContain('c2ln');
  });

  it('a call of the server’s own that came twice, or after its result', () => {
    const call = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
    const result = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
    // As they come out of the database: no two are the same object.
    const content = [result, call, result, call, { type: 'tool_use' }].map((block) => ({ ...block }));
    const { anthropic } = bodies(called({}, { anthropic_content: content }));
    const [, answer] = anthropic.messages as { content: JsonObject[] }[];
    expect(answer?.content.map(({ type }) => type)).toEqual([
      'server_tool_use',
      'web_search_tool_result',
      'tool_use',
    ]);
  });
});

describe('a prompt is valid after', () => {
  const answer = (seq: number, body: Partial<AssistantBody>): StoredMessage => ({
    run: 1,
    seq,
    at: 0,
    role: 'assistant',
    body: {
      effectId: seq,
      upTo: seq - 1,
      provider: 'chat/m',
      model: 'm',
      text: '',
      reasoning: '',
      refusal: '',
      finishReason: null,
      finish: 'stop',
      usage: null,
      costUsd: null,
      toolCalls: [],
      error: null,
      ...body,
    },
  });
  const calling = (seq: number, id: string): StoredMessage[] => [
    answer(seq, { toolCalls: [{ callId: seq + 1, id, name: 'look', arguments: '{}' }] }),
    {
      run: 1,
      seq: seq + 1,
      at: 0,
      role: 'tool',
      body: { callId: seq + 1, text: '', isError: false, code: null, status: 'done' },
    },
  ];
  const asked: StoredMessage = { run: 1, seq: 1, at: 0, role: 'user', body: { text: 'go' } };
  const promptOf = (messages: StoredMessage[]) =>
    toPrompt(toBlocks(messages), { system: '', summary: null, provider: 'chat/m' });

  it('an answer of white space alone, which is asked again', () => {
    const prompt = promptOf([asked, answer(2, { text: ' \n' })]);
    expect(prompt).toEqual([{ role: 'user', text: 'go' }]);
  });

  it('a call under an id that stands for one without, which a model has read', () => {
    const prompt = promptOf([asked, ...calling(2, 'call_1_5'), ...calling(4, '')]);
    expect(chatRuleViolations(prompt)).toEqual([]);
  });
});
