import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import type { ResponseCreateParamsStreaming } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { outputFormat } from '../../src/models/anthropic/messages-model.ts';
import { messagesRequestBody } from '../../src/models/anthropic/messages-request.ts';
import { quirksOf } from '../../src/models/catalogue/presets.ts';
import { chatRequestBody } from '../../src/models/openai/chat-request.ts';
import { responsesRequestBody } from '../../src/models/openai/responses/responses-request.ts';
import type { ModelRequest } from '../../src/protocol/ports/chat-model.ts';

const parameters = { type: 'object', properties: { place: { type: 'string' } } } as const;
const request: ModelRequest = {
  model: 'some-model',
  messages: [
    { role: 'system', text: 'Be brief.' },
    { role: 'user', text: 'Weather in 北京?' },
    {
      role: 'assistant',
      text: 'Let me see.',
      reasoning: '',
      toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{"place":"北京"}' }],
    },
    { role: 'tool', toolCallId: 'call_1', name: 'weather', text: 'no such place', isError: true },
    { role: 'user', text: 'Then Rome.' },
  ],
  tools: [{ name: 'weather', description: 'The weather', parameters }],
  output: { schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
  maxOutputTokens: 4_000,
  reasoningEffort: 'low',
  thinking: 'adaptive',
};

/** The output schema as strict modes want it. */
const closed = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;

/** What is written here satisfies the types of the SDKs; that we send just this, the tests say. */
describe('our requests are what the SDKs would send', () => {
  it('to chat completions', () => {
    const body = {
      model: 'some-model',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Weather in 北京?' },
        {
          role: 'assistant',
          content: 'Let me see.',
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"place":"北京"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'no such place' },
        { role: 'user', content: 'Then Rome.' },
      ],
      stream: true,
      stream_options: { include_usage: true },
      tools: [{ type: 'function', function: { name: 'weather', description: 'The weather', parameters } }],
      parallel_tool_calls: false,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'output', schema: closed, strict: true },
      },
      max_completion_tokens: 4_000,
      reasoning_effort: 'low',
    } satisfies ChatCompletionCreateParamsStreaming;
    const quirks = quirksOf('api.openai.com', 'openai', { parallelCalls: false });
    expect(chatRequestBody(request, quirks)).toEqual(body);
  });

  it('to Responses', () => {
    const body = {
      model: 'some-model',
      instructions: 'Be brief.',
      input: [
        { type: 'message', role: 'user', content: 'Weather in 北京?' },
        { type: 'message', role: 'assistant', content: 'Let me see.' },
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"place":"北京"}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'no such place' },
        { type: 'message', role: 'user', content: 'Then Rome.' },
      ],
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      text: { format: { type: 'json_schema', name: 'output', schema: closed, strict: true } },
      tools: [{ type: 'function', name: 'weather', description: 'The weather', parameters, strict: false }],
      max_output_tokens: 4_000,
      reasoning: { effort: 'low' },
    } satisfies ResponseCreateParamsStreaming;
    const reliance = { store: false, thread: false, include: true, items: true, strict: true, output: true };
    expect(responsesRequestBody(request, reliance)).toEqual(body);
  });

  it('to messages', async () => {
    const mark = { cache_control: { type: 'ephemeral' } } as const;
    const body = {
      model: 'some-model',
      max_tokens: 4_000,
      thinking: { type: 'adaptive' },
      output_config: { effort: 'low', format: { type: 'json_schema', schema: closed } },
      system: [{ type: 'text', text: 'Be brief.', ...mark }],
      tools: [{ name: 'weather', description: 'The weather', input_schema: parameters, ...mark }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Weather in 北京?', ...mark }] },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me see.' },
            { type: 'tool_use', id: 'call_1', name: 'weather', input: { place: '北京' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: 'no such place', is_error: true },
            { type: 'text', text: 'Then Rome.', ...mark },
          ],
        },
      ],
      stream: true,
    } satisfies MessageCreateParamsStreaming;
    const dialect = { maxTokens: null, promptCaching: true, thinking: null };
    const format = request.output ? await outputFormat(request.output) : null;
    expect(messagesRequestBody(request, dialect, format)).toEqual(body);
  });
});
