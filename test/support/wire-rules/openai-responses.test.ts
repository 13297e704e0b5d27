import { describe, expect, it } from 'vitest';
import { type Bendable, catches } from './mutation.ts';
import { responsesViolations } from './openai-responses.ts';
import { recordedRequests } from './recorded.ts';
import type { Fields } from './rule.ts';

const call = (call_id: string, more: object = {}) => ({
  type: 'function_call',
  call_id,
  name: 'look',
  arguments: '{}',
  ...more,
});
const output = (call_id: string) => ({ type: 'function_call_output', call_id, output: 'r' });
const user = { type: 'message', role: 'user', content: 'u' };

function valid(): Bendable {
  return {
    model: 'm',
    instructions: 's',
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    max_output_tokens: 16,
    text: {
      format: {
        type: 'json_schema',
        name: 'output',
        strict: true,
        schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
      },
    },
    tools: [
      {
        type: 'function',
        name: 'look',
        description: 'd',
        strict: true,
        parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
      },
    ],
    tool_choice: 'auto',
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'u' },
          { type: 'input_image', image_url: 'data:image/png;base64,aGk=' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' },
      call('c1', { id: 'fc_1' }),
      { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c2', name: 'sql', input: '' },
      output('c1'),
      { type: 'custom_tool_call_output', call_id: 'c2', output: 'r' },
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { type: 'message', role: 'assistant', content: 'a', phase: 'final_answer' },
      { type: 'message', role: 'user', content: 'v' },
    ],
  };
}

describe('the rules of the Responses wire', () => {
  catches(valid, (body) => responsesViolations(body), [
    ['a body without a model', { model: undefined }, /no model/],
    ['a field of another wire', { max_tokens: 5 }, /field max_tokens/],
    ['a stream that is neither', { stream: 'yes' }, /stream is no boolean/],
    ['a store that is neither', { store: null }, /store is no boolean/],
    ['something that cannot be included', (b) => b.include.push('thoughts'), /include is thoughts/],
    ['an output format of chat completions', { 'text.format.json_schema': {} }, /field json_schema/],
    [
      'an output that is no object',
      { 'text.format.strict': false, 'text.format.schema': { type: 'array' } },
      /of no object/,
    ],
    [
      'a strict output with an open object',
      { 'text.format.schema.additionalProperties': undefined },
      /strict and open/,
    ],
    ['too few tokens', { max_output_tokens: 15 }, /at most 15/],
    [
      'a choice without tools',
      (b) => {
        delete b.tools;
        b.tool_choice = 'required';
      },
      /tool_choice without/,
    ],
    ['two tools of one name', (b) => b.tools.push(b.tools[0]), /two tools/],
    [
      'too many tools',
      (b) =>
        Object.assign(b, {
          tools: Array.from({ length: 129 }, (_, i) => ({ ...b.tools[0], name: `t${i}` })),
        }),
      /128/,
    ],
    [
      'a tool in the form of the chat wire',
      { 'tools.0.function': { name: 'look' } },
      /form of the chat wire/,
    ],
    ['a tool of no type', (b) => b.tools.push({ name: 'x' }), /no type/],
    ['a tool name with a dot', { 'tools.0.name': 'a.b' }, /valid name/],
    ['a tool that takes no object', { 'tools.0.strict': false, 'tools.0.parameters': {} }, /no object/],
    [
      'a strict tool that is open',
      { 'tools.0.parameters.additionalProperties': undefined },
      /strict and open/,
    ],
    ['no input', { input: [] }, /no input/],
    ['an item of no type', (b) => b.input.push({ content: 'x' }), /no type/],
    ['a message of nobody', { 'input.8.role': 'tool' }, /is of tool/],
    ['a message without content', { 'input.8.content': [] }, /no content/],
    ['an answer of no words', { 'input.7.content': '' }, /says nothing/],
    [
      'words of the user in an answer',
      { 'input.7.content': [{ type: 'input_text', text: 'x' }] },
      /part of type input_text/,
    ],
    [
      'words of an answer from the user',
      { 'input.8.content': [{ type: 'output_text', text: 'x' }] },
      /part of type output_text/,
    ],
    ['an empty part', { 'input.0.content.0.text': '' }, /empty part/],
    ['an image without an address', { 'input.0.content.1.image_url': { url: 'https://a.b' } }, /image/],
    ['a file without data', { 'input.0.content.2.filename': undefined }, /file/],
    ['a phase of the user', { 'input.8.phase': 'commentary' }, /phase/],
    ['a field that an item has not', { 'input.2.index': 0 }, /field index/],
    ['an id of another kind of item', { 'input.2.id': 'call_1' }, /has the id call_1/],
    ['an item that comes twice', (b) => b.input.splice(7, 0, { ...b.input[6] }), /comes twice/],
    [
      'a reference to what is not kept',
      (b) => b.input.splice(8, 0, { type: 'item_reference', id: 'msg_9' }),
      /not kept/,
    ],
    ['a call by a name that is none', { 'input.2.name': 'a.b' }, /calls "a.b"/],
    ['arguments that are no object', { 'input.2.arguments': '' }, /no object/],
    ['a result of no kind', { 'input.4.output': { a: 1 } }, /no output/],
    [
      'a result with a strange part',
      { 'input.4.output': [{ type: 'text', text: 'x' }] },
      /part of type text/,
    ],
    ['reasoning without a summary', { 'input.1.summary': undefined }, /no summary/],
    ['reasoning that is but a name', { 'input.1.encrypted_content': undefined }, /but a name/],
    [
      'reasoning before words of the user',
      (b) => b.input.splice(8, 0, { ...b.input[1], id: 'rs_2' }),
      /led to nothing/,
    ],
    [
      'reasoning before a result',
      (b) => b.input.splice(4, 0, { ...b.input[1], id: 'rs_2' }),
      /led to nothing/,
    ],
    ['reasoning at the end', (b) => b.input.push({ ...b.input[1], id: 'rs_2' }), /led to nothing/],
    ['a call without an output', (b) => b.input.splice(4, 1), /no output for function_call c1/],
    ['a custom call without an output', (b) => b.input.splice(5, 1), /no output for custom_tool_call c2/],
    ['an output without a call', (b) => b.input.push(output('c9')), /answers no call: c9/],
    ['a second output', (b) => b.input.push(output('c1')), /answers no call: c1/],
    ['a call_id that repeats', (b) => b.input.push(call('c1'), output('c1')), /repeats the call_id/],
    ['an answer at the end', (b) => b.input.pop(), /last item is an answer/],
    ['half a surrogate pair', { 'input.8.content': '\udc00' }, /surrogate/],
    [
      'a response of a name that is none',
      { previous_response_id: 'x', input: [user] },
      /names no response/,
      /is kept/,
    ],
    [
      'an output before its call',
      (b) => b.input.splice(1, 0, b.input.splice(4, 1)[0]),
      /answers no call/,
      /no output for/,
    ],
    [
      'an output of another kind',
      { 'input.5.type': 'computer_call_output' },
      /answers no call/,
      /no output for/,
    ],
    [
      'an id of 65 characters',
      (b) => {
        b.input[2].call_id = b.input[4].call_id = 'x'.repeat(65);
      },
      /call_id "x+"/,
      /call_id "x+"/,
    ],
    [
      'an empty call_id',
      (b) => {
        b.input[2].call_id = b.input[4].call_id = '';
      },
      /call_id ""/,
      /call_id ""/,
    ],
    [
      'a conversation and a response',
      { conversation: 'conv_1', previous_response_id: 'resp_1' },
      /a conversation and/,
      /is kept/,
    ],
  ]);
});

describe('the rules of a thread', () => {
  const kept: Fields[] = [user, { type: 'reasoning', id: 'rs_1', summary: [] }, call('c1', { id: 'fc_1' })];
  const next = (): Bendable => ({
    model: 'm',
    store: true,
    previous_response_id: 'resp_1',
    input: [output('c1'), user],
  });

  catches(next, (body) => responsesViolations(body, kept), [
    ['a pending call that is not answered', (b) => b.input.shift(), /no output for function_call c1/],
    ['a call that the server has', (b) => b.input.splice(0, 0, call('c1')), /repeats the call_id/],
    [
      'an item that the server has',
      (b) => b.input.splice(1, 0, { ...call('c2', { id: 'fc_1' }) }, output('c2')),
      /comes twice/,
    ],
    ['an output of nothing', (b) => b.input.push(output('c2')), /answers no call/],
  ]);

  it('want the response to be there', () => {
    expect(responsesViolations({ ...next(), input: [user] })).toEqual([
      expect.stringMatching(/no response resp_1/),
    ]);
  });
});

describe('recorded requests of the Responses wire', () => {
  it.each(recordedRequests('openai-responses'))('break no rule: $id', ({ request }) => {
    expect(responsesViolations(request)).toEqual([]);
  });
});
