import { describe, expect, it } from 'vitest';
import { type Bendable, catches } from './mutation.ts';
import { type ChatServer, chatCompletionViolations } from './openai-chat.ts';
import { recordedRequests } from './recorded.ts';

const tool = (name: string) => ({
  type: 'function',
  function: {
    name,
    description: 'd',
    strict: true,
    parameters: {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    },
  },
});
const schema = () => ({
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
});
const call = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '{"a":"b"}' } });

function valid(): Bendable {
  return {
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 100,
    tools: [tool('look'), tool('act')],
    tool_choice: 'auto',
    response_format: { type: 'json_schema', json_schema: { name: 'output', strict: true, schema: schema() } },
    messages: [
      { role: 'system', content: 's' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'u' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call('c1'), call('c2')] },
      { role: 'tool', tool_call_id: 'c2', content: 'r' },
      { role: 'tool', tool_call_id: 'c1', content: '' },
      { role: 'user', content: 'v' },
      { role: 'assistant', content: 'a' },
      { role: 'user', content: 'w' },
    ],
  };
}

describe('the rules of the chat-completions wire', () => {
  catches(valid, (body) => chatCompletionViolations(body), [
    ['a body without a model', { model: undefined }, /no model/],
    ['a field that the wire does not know', { enable_thinking: true }, /field enable_thinking/],
    ['a stream that is neither', { stream: 1, stream_options: undefined }, /no boolean/],
    ['stream options without a stream', { stream: false }, /stream_options/],
    ['an output format of another wire', { response_format: { type: 'json' } }, /of type json/],
    [
      'an output that is no object',
      {
        'response_format.json_schema.strict': false,
        'response_format.json_schema.schema': { type: 'array' },
      },
      /of no object/,
    ],
    [
      'a strict output with an open object',
      { 'response_format.json_schema.schema.additionalProperties': undefined },
      /strict and open/,
    ],
    ['an output without a name', { 'response_format.json_schema.name': undefined }, /no valid name/],
    [
      'the JSON mode without the word for it',
      { response_format: { type: 'json_object' } },
      /without the word/,
    ],
    ['two limits', { max_tokens: 5 }, /both limits/],
    ['a limit of nothing', { max_completion_tokens: 0 }, /limit of no tokens/],
    ['an empty list of tools', { tools: [] }, /empty list of tools/],
    ['a choice without tools', { tools: undefined }, /tool_choice without/],
    ['too many tools', { tools: Array.from({ length: 129 }, (_, i) => tool(`t${i}`)) }, /128/],
    ['two tools of one name', (b) => b.tools.push(tool('look')), /two tools look/],
    ['a tool that is no function', { 'tools.0.type': 'web_search' }, /of type web_search/],
    ['a tool name with a dot', { 'tools.0.function.name': 'a.b' }, /no valid name/],
    ['a tool name of 65 characters', { 'tools.0.function.name': 'a'.repeat(65) }, /no valid name/],
    ['a tool with a field of another wire', { 'tools.0.function.input_schema': {} }, /input_schema/],
    [
      'a tool that takes no object',
      { 'tools.0.function.strict': false, 'tools.0.function.parameters': {} },
      /no object/,
    ],
    [
      'a strict tool that is open',
      { 'tools.0.function.parameters.additionalProperties': undefined },
      /strict and open/,
    ],
    [
      'a strict tool with an optional property',
      { 'tools.0.function.parameters.required': [] },
      /strict and open/,
    ],
    ['no messages', { messages: [] }, /no messages/],
    ['an unknown role', { 'messages.5.role': 'human' }, /no known role/],
    ['a field that the role has not', { 'messages.5.tool_call_id': 'c1' }, /field tool_call_id/],
    ['a message without content', { 'messages.5.content': undefined }, /no content/],
    ['a message of no parts', { 'messages.5.content': [] }, /empty list of parts/],
    ['an empty part', { 'messages.1.content.0.text': '' }, /empty part/],
    ['an unknown part', { 'messages.1.content.0.type': 'input_text' }, /part of type input_text/],
    ['an image without an address', { 'messages.1.content.1.image_url': { url: 'x' } }, /image/],
    [
      'an image of a type that is no image',
      { 'messages.1.content.1.image_url.url': 'data:image/tiff;base64,aGk=' },
      /image/,
    ],
    ['a file without a name', { 'messages.1.content.2.file.filename': undefined }, /file/],
    [
      'a result with an image',
      { 'messages.3.content': [{ type: 'image_url', image_url: { url: 'https://a.b' } }] },
      /part of type image_url/,
    ],
    ['an empty answer', { 'messages.6.content': '' }, /is empty/],
    ['an empty list of calls', { 'messages.6.tool_calls': [] }, /empty list of calls/],
    ['a call that is no function', { 'messages.2.tool_calls.0.type': 'x' }, /call of type x/],
    ['a call with a field too many', { 'messages.2.tool_calls.0.index': 0 }, /field index/],
    ['a call by a name that is none', { 'messages.2.tool_calls.0.function.name': 'a.b' }, /calls "a.b"/],
    ['a call by no name', { 'messages.2.tool_calls.0.function.name': '' }, /calls ""/],
    ['arguments that are no JSON', { 'messages.2.tool_calls.0.function.arguments': '{"a' }, /no object/],
    ['arguments that are a list', { 'messages.2.tool_calls.0.function.arguments': '[]' }, /no object/],
    ['empty arguments', { 'messages.2.tool_calls.0.function.arguments': '' }, /no object/],
    [
      'instructions that come late',
      (b) => b.messages.push({ role: 'system', content: 's' }, { role: 'user', content: 'x' }),
      /not come first/,
    ],
    [
      'a result of no call',
      (b) => b.messages.splice(6, 0, { role: 'tool', tool_call_id: 'c9', content: '' }),
      /answers no call/,
    ],
    [
      'a second result',
      (b) => b.messages.splice(5, 0, { role: 'tool', tool_call_id: 'c1', content: '' }),
      /answers no call/,
    ],
    ['a call without a result', (b) => b.messages.splice(4, 1), /before the results of c1/],
    [
      'calls at the end',
      (b) =>
        b.messages.splice(
          6,
          2,
          { role: 'assistant', tool_calls: [call('c3')] },
          { role: 'tool', tool_call_id: 'c3', content: '' },
          { role: 'assistant', content: 'x' },
        ),
      /last message is of assistant/,
    ],
    ['an id of 41 characters', (b) => setId(b, 'x'.repeat(41)), /not valid/],
    ['an empty id', (b) => setId(b, ''), /not valid/],
    [
      'an id that is used twice',
      (b) =>
        b.messages.push(
          { role: 'assistant', tool_calls: [call('c1')] },
          { role: 'tool', tool_call_id: 'c1', content: '' },
        ),
      /used twice/,
    ],
    ['half a surrogate pair', { 'messages.7.content': 'x\ud83d' }, /surrogate/],
  ]);
});

function setId(body: Bendable, id: string): void {
  body.messages[2].tool_calls[0].id = id;
  body.messages[4].tool_call_id = id;
}

describe('the rules of Mistral', () => {
  const forMistral = () => {
    const body = valid();
    for (const field of ['stream_options', 'max_completion_tokens']) delete body[field];
    body.messages.splice(5, 1);
    setId(body, 'abcDEF123');
    body.messages[2].tool_calls[1].id = '123456789';
    body.messages[3].tool_call_id = '123456789';
    return body;
  };
  catches(forMistral, (body) => chatCompletionViolations(body, 'mistral'), [
    ['an id of another form', (b) => setId(b, 'call_1234'), /not valid/],
    ['an id that is too long', (b) => setId(b, 'abcDEF1234'), /not valid/],
    ['usage in the stream', { stream_options: {} }, /field stream_options/],
    ['thoughts of another provider', { 'messages.2.reasoning_content': '' }, /reasoning_content/],
    ['a user directly after a result', (b) => b.messages.splice(5, 1), /follows a result/],
  ]);
});

describe('the rules of servers that think', () => {
  const thoughtful = () => {
    const body = valid();
    body.messages[2].reasoning_content = '';
    return body;
  };
  catches(thoughtful, (body) => chatCompletionViolations(body, 'thinking'), [
    [
      'calls without the thoughts behind them',
      { 'messages.2.reasoning_content': undefined },
      /without reasoning_content/,
    ],
  ]);
});

describe('recorded requests of the chat-completions wire', () => {
  it.each(recordedRequests('openai-chat'))('break no rule: $id', ({ provider, request }) => {
    expect(chatCompletionViolations(request, serverOf(provider, request))).toEqual([]);
  });
});

function serverOf(provider: string, request: Bendable): ChatServer {
  if (provider === 'openai' || provider === 'mistral') return provider;
  const thinks = request.messages.some((message: Bendable) => 'reasoning_content' in message);
  return provider === 'deepseek' && thinks ? 'thinking' : 'gateway';
}
