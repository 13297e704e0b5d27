import { describe, expect, it } from 'vitest';
import { requestViolations } from './anthropic-messages.ts';
import { type Bendable, catches } from './mutation.ts';
import { recordedRequests } from './recorded.ts';

const call = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });
const result = (tool_use_id: string, more: object = {}) => ({
  type: 'tool_result',
  tool_use_id,
  content: 'r',
  ...more,
});
const thought = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };
const mark = { cache_control: { type: 'ephemeral' } };

function valid(): Bendable {
  return {
    model: 'm',
    max_tokens: 2_048,
    thinking: { type: 'enabled', budget_tokens: 1_024 },
    stream: true,
    output_config: {
      effort: 'low',
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: {
            a: { type: 'array', items: { type: 'object', properties: {}, additionalProperties: false } },
          },
          additionalProperties: false,
        },
      },
    },
    system: [{ type: 'text', text: 's', ...mark }],
    tools: [
      { name: 'look', description: 'd', input_schema: { type: 'object', properties: {} } },
      { name: 'web_search', type: 'web_search_20250305', ...mark },
    ],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'u' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' },
            title: 'a',
          },
        ],
      },
      {
        role: 'assistant',
        content: [
          { ...thought },
          { type: 'redacted_thinking', data: 'b3BhcXVl' },
          { type: 'text', text: 'so' },
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
          { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
          call('c1'),
          call('c2'),
        ],
      },
      {
        role: 'user',
        content: [
          result('c1', {
            content: [
              { type: 'text', text: 'r' },
              { type: 'image', source: { type: 'url', url: 'https://a.b' } },
            ],
          }),
          result('c2', { is_error: true }),
          { type: 'text', text: 'v', ...mark },
        ],
      },
      { role: 'assistant', content: [{ ...thought }, call('c3')] },
      { role: 'user', content: [result('c3', mark)] },
    ],
  };
}

const signed = new Set(
  [thought, { type: 'redacted_thinking', data: 'b3BhcXVl' }].map((block) => JSON.stringify(block)),
);

describe('the rules of the messages wire', () => {
  catches(valid, (body) => requestViolations(body, { signed }), [
    ['a body without a model', { model: undefined }, /no model/],
    ['a field of another wire', { max_completion_tokens: 5 }, /field max_completion_tokens/],
    [
      'a body without a limit',
      (b) => {
        delete b.max_tokens;
        delete b.thinking;
      },
      /no max_tokens/,
    ],
    ['a stream that is neither', { stream: 1 }, /no boolean/],
    ['an output format with a name', { 'output_config.format.name': 'x' }, /field name/],
    [
      'an output with an open object inside',
      { 'output_config.format.schema.properties.a.items.additionalProperties': undefined },
      /is open/,
    ],
    [
      'an output with a keyword that is not supported',
      { 'output_config.format.schema.properties.a.maxItems': 3 },
      /has maxItems/,
    ],
    [
      'a choice without tools',
      (b) => {
        delete b.tools;
        b.tool_choice = { type: 'auto' };
      },
      /tool_choice without/,
    ],
    ['an empty list of tools', { tools: [] }, /empty list of tools/],
    ['two tools of one name', { 'tools.1.name': 'look' }, /two tools look/],
    ['a tool name with a dot', { 'tools.0.name': 'a.b' }, /no valid name/],
    ['a tool that takes no object', { 'tools.0.input_schema': {} }, /no object/],
    ['a choice at the top of a schema', { 'tools.0.input_schema.anyOf': [] }, /anyOf at the top/],
    ['an empty description', { 'tools.0.description': '' }, /empty description/],
    [
      'an image in the system prompt',
      (b) => b.system.unshift({ type: 'image', source: { type: 'url', url: 'https://a.b' } }),
      /system has a image/,
    ],
    ['a blank system prompt', { 'system.0.text': ' \n' }, /system has a blank text/],
    ['no messages', { messages: [] }, /no messages/],
    [
      'an answer at the start',
      (b) => b.messages.unshift({ role: 'assistant', content: 'a' }),
      /first message is not/,
    ],
    [
      'an answer at the end',
      (b) => b.messages.push({ role: 'assistant', content: 'a' }),
      /last message is not/,
    ],
    [
      'instructions among the messages',
      (b) => b.messages.push({ role: 'system', content: 'a' }, { role: 'user', content: 'b' }),
      /of nobody/,
    ],
    [
      'two messages of the user in a row',
      (b) => b.messages.splice(0, 0, { role: 'user', content: 'u' }),
      /same role/,
    ],
    ['a message of nothing', { 'messages.0.content': [] }, /is empty/],
    ['a blank text', { 'messages.0.content.0.text': ' ' }, /blank text/],
    ['an empty text', { 'messages.0.content.0.text': '' }, /blank text/],
    ['half a surrogate pair', { 'messages.0.content.0.text': '\ud83d' }, /surrogate/],
    ['a block of no type', (b) => b.messages[1].content.splice(2, 0, { text: 'x' }), /no type/],
    ['a field that a block has not', { 'messages.1.content.5.index': 0 }, /field index/],
    [
      'an image of a type that is none',
      { 'messages.0.content.1.source.media_type': 'image/tiff' },
      /image\/tiff/,
    ],
    ['an image that is no base64', { 'messages.0.content.1.source.data': 'data:x' }, /no base64/],
    ['an image from nowhere', { 'messages.0.content.1.source.type': 'uri' }, /image from "uri"/],
    ['a document of another type', { 'messages.0.content.2.source.media_type': 'text/csv' }, /no PDF/],
    ['a call without a result', (b) => b.messages[2].content.splice(0, 1), /answers \[c2\] where/],
    ['a result of no call', (b) => b.messages[4].content.push(result('c9')), /answers \[c3,c9\]/],
    ['a result that comes twice', (b) => b.messages[4].content.push(result('c3')), /answers \[c3,c3\]/],
    [
      'words before results',
      (b) => b.messages[2].content.unshift(b.messages[2].content.pop()),
      /words before/,
    ],
    ['an error that says nothing', { 'messages.2.content.1.content': ' ' }, /says nothing/],
    [
      'a result that is an object',
      { 'messages.2.content.1.content': {}, 'messages.2.content.1.is_error': false },
      /nothing to read/,
    ],
    [
      'a result with a call',
      (b) => b.messages[2].content[0].content.push(call('c8')),
      /result with a tool_use/,
    ],
    ['a blank text in a result', { 'messages.2.content.0.content.0.text': '' }, /blank text/],
    ['a call whose input is text', { 'messages.1.content.5.input': '{}' }, /no object/],
    ['a call by a name that is none', { 'messages.1.content.5.name': 'a.b' }, /calls "a.b"/],
    [
      'an answer that ends in a thought',
      (b) =>
        b.messages.splice(
          3,
          0,
          { role: 'assistant', content: [{ ...thought }] },
          { role: 'user', content: 'x' },
        ),
      /ends in a thought/,
    ],
    ['a thought that was changed', { 'messages.1.content.0.thinking': 'ha' }, /not as it was given/],
    [
      'a picture in an answer',
      (b) => b.messages[1].content.splice(2, 0, b.messages[0].content[1]),
      /has a image block/,
    ],
    ['results that no thought led to', (b) => b.messages[3].content.shift(), /without one/],
    ['a budget that is too small', { 'thinking.budget_tokens': 1_023 }, /budget of 1023/],
    ['a budget above the limit', { 'thinking.budget_tokens': 2_048 }, /budget of 2048/],
    ['thinking of no kind', { 'thinking.type': 'on' }, /thinking is "on"/],
    ['a forced call with thoughts', { tool_choice: { type: 'any' } }, /forced/],
    ['an id with a dot', (b) => rename(b, 'a.b'), /id "a.b" is not valid/],
    ['an empty id', (b) => rename(b, ''), /id "" is not valid/],
    ['an id of 65 characters', (b) => rename(b, 'x'.repeat(65)), /is not valid/],
    ['an id that repeats', (b) => rename(b, 'c1'), /id c1 repeats/],
    [
      'a call of the server with a strange id',
      (b) => {
        b.messages[1].content[3].id = b.messages[1].content[4].tool_use_id = 'x1';
      },
      /names no call/,
    ],
    [
      'a call of the server without a result',
      (b) => b.messages[1].content.splice(4, 1),
      /call srvtoolu_1 of the server has no result/,
    ],
    [
      'a result of the server without a call',
      (b) => b.messages[1].content.splice(3, 1),
      /result srvtoolu_1 of the server has no call/,
    ],
    [
      'a result of the server that comes twice',
      (b) => b.messages[1].content.splice(5, 0, b.messages[1].content[4]),
      /result srvtoolu_1 of the server repeats/,
    ],
    [
      'a result of the server before its call',
      (b) => b.messages[1].content.splice(3, 0, b.messages[1].content.splice(4, 1)[0]),
      /before its call/,
    ],
    [
      'a call of the server that repeats',
      (b) => b.messages[3].content.splice(1, 0, b.messages[1].content[3]),
      /call srvtoolu_1 of the server repeats/,
      /before its call/,
    ],
    ['five cache marks', (b) => Object.assign(b.messages[0].content[0], mark), /5 cache marks/],
    [
      'a cache mark of another life',
      (b) => (b.tools[1].cache_control = { type: 'ephemeral', ttl: '2h' }),
      /cache mark "ephemeral 2h"/,
    ],
    [
      'a long life after a short one',
      (b) => (b.system[0].cache_control = { type: 'ephemeral', ttl: '1h' }),
      /long life/,
    ],
    [
      'a thought without a signature',
      { 'messages.1.content.0.signature': undefined },
      /without signature/,
      /not as it was given/,
    ],
    [
      'an empty encrypted thought',
      { 'messages.1.content.1.data': '' },
      /empty encrypted/,
      /not as it was given/,
    ],
    [
      'a call of the server by the user',
      (b) => b.messages[0].content.push({ type: 'server_tool_use', id: 'srvtoolu_9', name: 'x', input: {} }),
      /server_tool_use block/,
      /has no result/,
    ],
    [
      'a thought that is marked for the cache',
      (b) => {
        delete b.system[0].cache_control;
        Object.assign(b.messages[1].content[0], mark);
      },
      /field cache_control/,
      /not as it was given/,
      /marked for the cache/,
    ],
    ['calls at the end', (b) => b.messages.pop(), /last message is not/, /calls without results/],
  ]);

  it('let the turn of a server that paused go back, but for white space at its end', () => {
    const body = valid();
    body.messages.push({ role: 'assistant', content: [{ type: 'text', text: 'so ' }] });
    expect(requestViolations(body, { resumes: true })).toEqual([expect.stringMatching(/white space/)]);
    body.messages.at(-1).content[0].text = 'so';
    expect(requestViolations(body, { resumes: true })).toEqual([]);
  });
});

function rename(body: Bendable, id: string): void {
  body.messages[3].content[1].id = id;
  body.messages[4].content[0].tool_use_id = id;
}

describe('recorded requests of the messages wire', () => {
  it.each(recordedRequests('anthropic-messages'))('break no rule: $id', ({ request }) => {
    expect(requestViolations(request)).toEqual([]);
  });
});
