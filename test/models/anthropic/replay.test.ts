import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { messagesRequestBody } from '../../../src/models/anthropic/messages-request.ts';
import type { ModelAnswer } from '../../../src/protocol/content.ts';
import type { PromptMessage } from '../../../src/protocol/ports/chat-model.ts';
import { requestViolations } from '../../support/wire-rules/anthropic-messages.ts';
import { serve, stream } from '../support/loopback.ts';
import { fixture, messagesRecordings } from '../support/recordings.ts';
import { block, callBlock, generate, messageEnd, messageStart, read, textBlock } from './support.ts';

/** An answer and the results of its calls, as the next prompt has them. */
function turnOf(answer: ModelAnswer): PromptMessage[] {
  const { text, reasoning, toolCalls, providerData } = answer;
  return [
    { role: 'assistant', text, reasoning, toolCalls, ...(providerData && { providerData }) },
    ...toolCalls.map(({ id, name }): PromptMessage => {
      return { role: 'tool', toolCallId: id, name, text: 'done', isError: false };
    }),
  ];
}

function contentSentBack(answer: ModelAnswer): Record<string, unknown>[] {
  const messages: PromptMessage[] = [{ role: 'user', text: 'Hi' }, ...turnOf(answer)];
  const body = messagesRequestBody(
    { model: 'm', messages, tools: [] },
    { maxTokens: null, promptCaching: true, thinking: null },
  );
  expect(requestViolations(body)).toEqual([]);
  return (body.messages as { content: Record<string, unknown>[] }[])[1]?.content ?? [];
}

function thinking(index: number, thought: string, signature: string): string {
  const deltas = [
    { type: 'thinking_delta', thinking: thought },
    { type: 'signature_delta', signature },
  ];
  return block(index, { type: 'thinking', thinking: '', signature: '' }, ...deltas);
}

describe('an answer in later requests', () => {
  it('takes its thoughts along, signed as they came, over two calls', async () => {
    const first = [
      messageStart(),
      thinking(0, 'I should add.', 'c2lnbmVk'),
      block(1, { type: 'redacted_thinking', data: 'b3BhcXVl' }),
      textBlock(2, 'Let me add.'),
      callBlock(3, 'toolu_1', 'add', '{"a":', ' 1}'),
      messageEnd('tool_use'),
    ];
    const second = [messageStart({ id: 'msg_2' }), textBlock(0, 'It is 3.'), messageEnd()];
    const { baseURL, requests } = await serve((response) =>
      stream(response, requests.length === 1 ? first : second),
    );
    const { answer } = await generate(baseURL);
    expect(answer).toMatchObject({ text: 'Let me add.', reasoning: 'I should add.', finish: 'toolCalls' });
    // As the store keeps it.
    const stored = JSON.parse(JSON.stringify(answer)) as ModelAnswer;
    await generate(baseURL, {
      request: { messages: [{ role: 'user', text: 'Hi' }, ...turnOf(stored)] },
      promptCaching: false,
    });
    expect(JSON.parse(requests[1]?.body ?? '').messages[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I should add.', signature: 'c2lnbmVk' },
        { type: 'redacted_thinking', data: 'b3BhcXVl' },
        { type: 'text', text: 'Let me add.' },
        { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1 } },
      ],
    });
  });

  const wholes = globSync('anthropic--*.json', {
    cwd: new URL('../../fixtures/nonstream/', import.meta.url),
  }).map((name) => ({
    name,
    ...fixture<{ body: { content: Record<string, unknown>[] } }>(`nonstream/${name}`),
  }));

  it.each(wholes)('is the recorded one, block by block: $name', ({ body }) => {
    const asked = new Set(body.content.map(({ id }) => id));
    // The call was in an earlier answer, which this conversation does not have.
    const isStray = ({ type, tool_use_id: id }: Record<string, unknown>) =>
      type === 'tool_search_tool_result' && !asked.has(id);
    const expected = body.content.filter((block) => !isStray(block)).map(withoutDirectCaller);
    const { answer } = read([JSON.stringify(body)]);
    expect(contentSentBack(answer).map(withoutDirectCaller)).toEqual(expected);
  });

  it.each(messagesRecordings())('keeps the order of recorded blocks: $id', ({ bytes, expected }) => {
    expect(contentSentBack(read([bytes]).answer).map(({ type }) => type)).toEqual(expected.blocks);
  });

  it('remembers nothing where text and calls say all', () => {
    const { answer } = read([
      messageStart(),
      textBlock(0, 'Let me add.'),
      block(1, { type: 'tool_use', id: 't', name: 'add', input: {}, caller: { type: 'direct' } }),
      messageEnd('tool_use'),
    ]);
    expect(answer).not.toHaveProperty('providerData');
  });

  it('says who called when it was not the model itself', () => {
    const caller = { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' };
    const { answer } = read([
      messageStart(),
      block(0, { type: 'tool_use', id: 't', name: 'add', input: { a: 1 }, caller }),
      messageEnd('tool_use'),
    ]);
    expect(contentSentBack(answer)).toEqual([
      { type: 'tool_use', id: 't', name: 'add', input: { a: 1 }, caller },
    ]);
  });

  it('leaves out a thought that a secret was taken out of, as its signature is wrong now', () => {
    const { answer } = read([
      messageStart(),
      thinking(0, 'The key is sk-very-secret.', 'c2ln'),
      thinking(1, 'It is [redacted:KEY] to others.', 'c2ln'),
      textBlock(2, 'Hi'),
      messageEnd(),
    ]);
    const stored = JSON.parse(
      JSON.stringify(answer).replaceAll('sk-very-secret', '[redacted:KEY]'),
    ) as ModelAnswer;
    expect(contentSentBack(stored)).toEqual([
      { type: 'thinking', thinking: 'It is [redacted:KEY] to others.', signature: 'c2ln' },
      { type: 'text', text: 'Hi' },
    ]);
  });

  it('leaves out blocks that broke off, and keeps the text', () => {
    const { answer } = read([
      messageStart(),
      thinking(0, 'Hm.', 'c2lnbmVk'),
      textBlock(1, 'Let me search.'),
      block(2, { type: 'type_to_come', words: 'half' }).split('event: content_block_stop')[0] ?? '',
    ]);
    expect(answer.error?.kind).toBe('network');
    expect(contentSentBack(answer)).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' },
      { type: 'text', text: 'Let me search.' },
    ]);
  });

  it('sends a call that was never closed after all else', () => {
    const open = callBlock(1, 't', 'add', '{"a": 1}').split('event: content_block_stop')[0] ?? '';
    const { answer } = read([messageStart(), thinking(0, 'Hm.', 'c2ln'), open, 'data: [DONE]\n\n']);
    expect(answer.error).toBeNull();
    expect(contentSentBack(answer)).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'tool_use', id: 't', name: 'add', input: { a: 1 } },
    ]);
  });

  it('waits with the result of a server tool for those of ours', () => {
    const search = block(0, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} });
    const { answer } = read([messageStart(), search, callBlock(1, 't', 'add', '{}'), messageEnd('tool_use')]);
    expect(contentSentBack(answer).map(({ type }) => type)).toEqual(['server_tool_use', 'tool_use']);
  });

  it('is plain text and calls to another provider, which gets no private data', () => {
    const { answer } = read([messageStart(), thinking(0, 'Hm.', 'c2ln'), textBlock(1, 'Hi'), messageEnd()]);
    const { providerData, ...rest } = answer;
    expect(contentSentBack(rest)).toEqual([{ type: 'text', text: 'Hi' }]);
    expect(providerData).toBeDefined();
  });
});

function withoutDirectCaller({ caller, ...block }: Record<string, unknown>) {
  const isDirect = (caller as { type?: string } | undefined)?.type === 'direct';
  return caller === undefined || isDirect ? block : { ...block, caller };
}
