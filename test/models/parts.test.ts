import type { MessageParam } from '@anthropic-ai/sdk/resources/messages/messages';
import fc from 'fast-check';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { messagesRequestBody } from '../../src/models/anthropic/messages-request.ts';
import { quirksOf } from '../../src/models/catalogue/presets.ts';
import { chatRequestBody } from '../../src/models/openai/chat-request.ts';
import { historyHash } from '../../src/models/openai/responses/replay.ts';
import { findThread, responsesRequestBody } from '../../src/models/openai/responses/responses-request.ts';
import type { ModelRequest, PromptMessage } from '../../src/protocol/ports/chat-model.ts';
import { imagePart, pdfPart } from '../support/pictures.ts';
import { requestViolations } from '../support/wire-rules/anthropic-messages.ts';
import { type ChatServer, chatCompletionViolations } from '../support/wire-rules/openai-chat.ts';
import { responsesViolations } from '../support/wire-rules/openai-responses.ts';

const image = imagePart('photo.png');
const nameless = imagePart();
const report = pdfPart('report.pdf');
const url = (mime: string, data: string) => `data:${mime};base64,${data}`;

type Role<R extends PromptMessage['role']> = Extract<PromptMessage, { role: R }>;

function user(text: string, ...parts: NonNullable<Role<'user'>['parts']>): PromptMessage {
  return { role: 'user', text, parts };
}

function calls(...ids: string[]): PromptMessage {
  const toolCalls = ids.map((id) => ({ id, name: 'look', arguments: '{}' }));
  return { role: 'assistant', text: '', reasoning: '', toolCalls };
}

function result(id: string, over: Partial<Role<'tool'>> = {}): PromptMessage {
  return { role: 'tool', toolCallId: id, name: 'look', text: `seen ${id}`, isError: false, ...over };
}

const look = { name: 'look', description: 'd', parameters: { type: 'object', properties: {} } };
const reliance = { store: false, thread: false, include: false, items: true, strict: false, output: true };
const request = (...messages: PromptMessage[]): ModelRequest => ({ model: 'm', messages, tools: [look] });
const chat = (...messages: PromptMessage[]) => chatRequestBody(request(...messages), quirksOf('', 'openai'));
const responses = (...messages: PromptMessage[]) => responsesRequestBody(request(...messages), reliance);
const anthropic = (...messages: PromptMessage[]) =>
  messagesRequestBody(request(...messages), { maxTokens: 100, promptCaching: false, thinking: null });

describe('what goes with a message of the user', () => {
  it('stands behind the words, as data URLs, on the chat wire', () => {
    const body = chat(user('Compare.', image, nameless, report));
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Compare.\n[image photo.png, 70 B]' },
          { type: 'image_url', image_url: { url: url('image/png', image.data) } },
          { type: 'image_url', image_url: { url: url('image/png', nameless.data) } },
          { type: 'file', file: { filename: 'report.pdf', file_data: url('application/pdf', report.data) } },
        ],
      },
    ] satisfies ChatCompletionMessageParam[]);
    expect(chatCompletionViolations(body)).toEqual([]);
  });

  it('is input_image and input_file on the Responses wire', () => {
    const body = responses(user('Compare.', image, pdfPart()));
    expect(body.input).toEqual([
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Compare.\n[image photo.png, 70 B]' },
          { type: 'input_image', detail: 'auto', image_url: url('image/png', image.data) },
          { type: 'input_file', filename: 'document.pdf', file_data: url('application/pdf', report.data) },
        ],
      },
    ] satisfies ResponseInputItem[]);
    expect(responsesViolations(body)).toEqual([]);
  });

  it('stands in front of the words, as base64 blocks, on the messages wire', () => {
    const body = anthropic(user('Compare.', image, report));
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image.data } },
          {
            type: 'document',
            title: 'report.pdf',
            source: { type: 'base64', media_type: 'application/pdf', data: report.data },
          },
          { type: 'text', text: 'Compare.\n[image photo.png, 70 B]' },
        ],
      },
    ] satisfies MessageParam[]);
    expect(requestViolations(body)).toEqual([]);
  });

  it('needs no words', () => {
    expect(chat(user('', nameless)).messages).toEqual([
      { role: 'user', content: [{ type: 'image_url', image_url: { url: url('image/png', nameless.data) } }] },
    ]);
    for (const wrong of [
      chatCompletionViolations(chat(user('', nameless))),
      responsesViolations(responses(user('', nameless))),
      requestViolations(anthropic(user('', nameless))),
    ])
      expect(wrong).toEqual([]);
  });
});

const looked = [
  user('Look.'),
  calls('a', 'b', 'c'),
  result('a', { parts: [image] }),
  result('b'),
  result('c', { text: '', parts: [nameless, report] }),
];

describe('what a tool returns besides text', () => {
  it('follows behind all results of the answer on the chat wire, and says whose it is', () => {
    const body = chat(...looked);
    const [, , first, second, third, behind, ...rest] =
      body.messages as unknown as ChatCompletionMessageParam[];
    expect([first, second, third]).toEqual([
      {
        role: 'tool',
        tool_call_id: 'a',
        content: 'seen a\n[image photo.png, 70 B: follows behind the results]',
      },
      { role: 'tool', tool_call_id: 'b', content: 'seen b' },
      {
        role: 'tool',
        tool_call_id: 'c',
        content:
          '[image image/png, 70 B: follows behind the results]\n[file report.pdf, 77 B: follows behind the results]',
      },
    ]);
    expect(behind).toEqual({
      role: 'user',
      content: [
        {
          type: 'text',
          text: [
            '[Not from the user: what the tools returned besides text, in this order]',
            '- image photo.png, 70 B: of result 1 of 3, look',
            '- image image/png, 70 B: of result 3 of 3, look',
            '- file report.pdf, 77 B: of result 3 of 3, look',
          ].join('\n'),
        },
        { type: 'image_url', image_url: { url: url('image/png', image.data) } },
        { type: 'image_url', image_url: { url: url('image/png', nameless.data) } },
        { type: 'file', file: { filename: 'report.pdf', file_data: url('application/pdf', report.data) } },
      ],
    } satisfies ChatCompletionMessageParam);
    expect(rest).toEqual([]);
    expect(chatCompletionViolations(body)).toEqual([]);
  });

  it('is part of the result on the Responses wire', () => {
    const body = responses(...looked);
    expect((body.input as unknown[]).slice(4)).toEqual([
      {
        type: 'function_call_output',
        call_id: 'a',
        output: [
          { type: 'input_text', text: 'seen a\n[image photo.png, 70 B]' },
          { type: 'input_image', detail: 'auto', image_url: url('image/png', image.data) },
        ],
      },
      { type: 'function_call_output', call_id: 'b', output: 'seen b' },
      {
        type: 'function_call_output',
        call_id: 'c',
        output: [
          { type: 'input_image', detail: 'auto', image_url: url('image/png', nameless.data) },
          { type: 'input_file', filename: 'report.pdf', file_data: url('application/pdf', report.data) },
        ],
      },
    ] satisfies ResponseInputItem[]);
    expect(responsesViolations(body)).toEqual([]);
  });

  it('is part of the result on the messages wire', () => {
    const body = anthropic(...looked);
    const blocks = (body.messages as unknown as MessageParam[])[2]?.content;
    expect(blocks).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 'a',
        content: [
          { type: 'text', text: 'seen a\n[image photo.png, 70 B]' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image.data } },
        ],
      },
      { type: 'tool_result', tool_use_id: 'b', content: 'seen b' },
      {
        type: 'tool_result',
        tool_use_id: 'c',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: nameless.data } },
          {
            type: 'document',
            title: 'report.pdf',
            source: { type: 'base64', media_type: 'application/pdf', data: report.data },
          },
        ],
      },
    ] satisfies MessageParam['content']);
    expect(requestViolations(body)).toEqual([]);
  });

  it('stands behind an error on the messages wire, whose content must be text alone', () => {
    const failed = result('a', { text: 'broken', isError: true, parts: [nameless] });
    const body = anthropic(user('Look.'), calls('a', 'b'), failed, result('b'));
    expect((body.messages as unknown as MessageParam[])[2]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: 'broken', is_error: true },
      { type: 'tool_result', tool_use_id: 'b', content: 'seen b' },
      { type: 'text', text: '[Not from the user: look failed, and returned this:]' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: nameless.data } },
    ]);
    expect(requestViolations(body)).toEqual([]);
  });
});

describe('a thread that the server keeps', () => {
  const answer = { role: 'assistant' as const, text: 'A cat.', reasoning: '', toolCalls: [] };
  const remembered = (prompt: readonly PromptMessage[]): PromptMessage => ({
    ...answer,
    providerData: {
      openai_responses: {
        model: 'm',
        thread: { id: 'r1', history: historyHash(prompt, answer), callIds: [] },
      },
    },
  });

  it('is gone on with when the image is the same, and not when another stands there', () => {
    const before = [user('What?', image)];
    const after = [user('Sure?')];
    expect(findThread([...before, remembered(before), ...after], 'm')?.id).toBe('r1');
    const other = [user('What?', imagePart('photo.png', 'other'))];
    expect(findThread([...other, remembered(before), ...after], 'm')).toBeNull();
    expect(findThread([user('What?'), remembered(before), ...after], 'm')).toBeNull();
  });
});

describe('any images and files', () => {
  const part = fc.constantFrom(image, nameless, report, pdfPart());
  const parts = fc.array(part, { maxLength: 3 });
  const words = fc.constantFrom('', ' ', 'words', 'half \ud83d');
  const round = fc.record({
    words: fc.constantFrom('go', 'half \ud83d'),
    parts,
    results: fc.array(fc.record({ text: words, parts, isError: fc.boolean() }), { maxLength: 3 }),
    late: fc.option(fc.record({ text: fc.constantFrom('and', 'then'), parts }), { nil: null }),
  });
  const history = fc.array(round, { minLength: 1, maxLength: 4 }).map((rounds) =>
    rounds.flatMap((each, i): PromptMessage[] => {
      const ids = each.results.map((_, j) => `r${i}c${j}`);
      const answer: PromptMessage =
        ids.length > 0 ? calls(...ids) : { role: 'assistant', text: 'so', reasoning: '', toolCalls: [] };
      const results = each.results.map((over, j) => result(ids[j] ?? '', over));
      return [
        user(each.words, ...each.parts),
        answer,
        ...results,
        ...(each.late ? [user(each.late.text, ...each.late.parts)] : []),
      ];
    }),
  );

  it('make a request that no wire refuses', () => {
    fc.assert(
      fc.property(
        history,
        fc.constantFrom<ChatServer>('openai', 'mistral', 'gateway'),
        (messages, server) => {
          const all = [...messages, user('Go on.', image)];
          const provider = server === 'gateway' ? 'openrouter' : server;
          const body = chatRequestBody(request(...all), quirksOf('', provider));
          expect(chatCompletionViolations(body, server)).toEqual([]);
          expect(responsesViolations(responses(...all))).toEqual([]);
          expect(requestViolations(anthropic(...all))).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });
});
