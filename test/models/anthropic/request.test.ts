import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { messagesRequestBody } from '../../../src/models/anthropic/messages-request.ts';
import type { ModelRequest, PromptMessage } from '../../../src/protocol/ports/chat-model.ts';
import { serve, stream } from '../support/loopback.ts';
import { generate, messageEnd, messageStart, textBlock } from './support.ts';

type MessagesDialect = Parameters<typeof messagesRequestBody>[1];

const bare: MessagesDialect = { maxTokens: null, promptCaching: false, thinking: null };

function bodyOf(request: Partial<ModelRequest>, dialect = bare) {
  return messagesRequestBody({ model: 'm', messages: [], tools: [], ...request }, dialect);
}

function messagesOf(...messages: PromptMessage[]) {
  return bodyOf({ messages }).messages;
}

function said(text: string): PromptMessage {
  return { role: 'user', text };
}

function answered(text: string, ...calls: [id: string, name: string, args: string][]): PromptMessage {
  const toolCalls = calls.map(([id, name, args]) => ({ id, name, arguments: args }));
  return { role: 'assistant', text, reasoning: '', toolCalls };
}

function result(toolCallId: string, text: string, isError = false): PromptMessage {
  return { role: 'tool', toolCallId, name: 'add', text, isError };
}

const add = { name: 'add', description: 'Adds', parameters: { type: 'object', properties: {} } };

describe('the request body', () => {
  it('has the parts of the wire', () => {
    const messages: PromptMessage[] = [{ role: 'system', text: 'Be brief.' }, said('1+1?')];
    expect(bodyOf({ messages, tools: [add], maxOutputTokens: 100 })).toEqual({
      model: 'm',
      max_tokens: 100,
      system: [{ type: 'text', text: 'Be brief.' }],
      tools: [{ name: 'add', description: 'Adds', input_schema: { type: 'object', properties: {} } }],
      messages: [{ role: 'user', content: [{ type: 'text', text: '1+1?' }] }],
      stream: true,
    });
  });

  it('leaves out what is empty, and asks for a whole answer without streaming', () => {
    const body = bodyOf({ messages: [{ role: 'system', text: ' ' }, said('Hi')], stream: false });
    expect(body).not.toHaveProperty('system');
    expect(body).not.toHaveProperty('tools');
    expect(body.stream).toBe(false);
  });

  it.each([
    ['claude-sonnet-4-5', 32_000],
    ['anthropic.claude-opus-4-6-v1:0', 32_000],
    ['claude-3-7-sonnet-20250219', 32_000],
    ['claude-3-5-sonnet-20240620', 8_192],
    ['claude-3-haiku-20240307', 4_096],
    ['kimi-k2', 8_192],
  ])('gives %s room for an answer, as the wire asks for it', (model, maxTokens) => {
    expect(bodyOf({ model }).max_tokens).toBe(maxTokens);
  });

  it('takes the room that the configuration gives, unless the call says another', () => {
    const dialect = { ...bare, maxTokens: 1_000 };
    expect(bodyOf({}, dialect).max_tokens).toBe(1_000);
    expect(bodyOf({ maxOutputTokens: 50 }, dialect).max_tokens).toBe(50);
  });

  it('puts results, then words, into one message of the user', () => {
    expect(
      messagesOf(
        said('Add.'),
        answered('Gladly.', ['t1', 'add', '{"a":1}'], ['t2', 'add', '']),
        result('t1', '3'),
        said('Quick!'),
        result('t2', 'no', true),
      ),
    ).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Add.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Gladly.' },
          { type: 'tool_use', id: 't1', name: 'add', input: { a: 1 } },
          { type: 'tool_use', id: 't2', name: 'add', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: '3' },
          { type: 'tool_result', tool_use_id: 't2', content: 'no', is_error: true },
          { type: 'text', text: 'Quick!' },
        ],
      },
    ]);
  });

  it('says something where nothing may be said: in an error, before an answer, after it', () => {
    expect(messagesOf(answered('', ['t', 'add', '{}']), result('t', '', true), answered('Hm.'))).toEqual([
      { role: 'user', content: [{ type: 'text', text: '(Earlier messages are left out.)' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'add', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't', content: 'The tool failed.', is_error: true }],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Hm.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Continue.' }] },
    ]);
  });

  it('drops blank words, and the messages that have no others', () => {
    expect(messagesOf(said('Hi'), answered(' '), said(''), said('Well?'))).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: 'Well?' },
        ],
      },
    ]);
  });

  it('gives calls ids that the wire takes, the same to their results', () => {
    const [, first, , second] = messagesOf(
      said('Go'),
      answered('', ['functions.add:0', 'add', '{}'], ['', 'add', '{}']),
      result('functions.add:0', '1'),
      result('', '2'),
      answered('', ['functions.add:0', 'add', '{}']),
      result('functions.add:0', '3'),
    ) as { content: { id: string }[] }[];
    const ids = [...(first?.content ?? []), ...(second?.content ?? [])].map(({ id }) => id);
    expect(ids).toEqual(['functions_add_0', 'call', 'functions_add_0_2']);
  });

  it('calls tools that are not offered by a name that the wire takes', () => {
    const [, answer] = messagesOf(said('Go'), answered('', ['t', 'web.search', '{}']), result('t', '')) as {
      content: unknown[];
    }[];
    expect(answer?.content).toEqual([{ type: 'tool_use', id: 't', name: 'web_search', input: {} }]);
  });

  it('offers the properties of a schema that combines others at its top, which the wire refuses', () => {
    const branch = (name: string) => ({ properties: { [name]: { type: 'string' } }, required: [name] });
    const parameters = { $defs: {}, anyOf: [branch('id'), branch('name')], properties: { x: {} } };
    const [tool] = bodyOf({ tools: [{ name: 't', description: '', parameters }] }).tools as unknown[];
    expect(tool).toEqual({
      name: 't',
      input_schema: {
        $defs: {},
        type: 'object',
        properties: { id: { type: 'string' }, name: { type: 'string' }, x: {} },
      },
    });
  });
});

describe('thinking', () => {
  const budget: MessagesDialect = { ...bare, thinking: { budgetTokens: 4_000 } };

  it('is asked for as it is configured, and left to the model otherwise', () => {
    expect(bodyOf({ messages: [said('Hi')] })).not.toHaveProperty('thinking');
    expect(bodyOf({ messages: [said('Hi')] }, { ...bare, thinking: 'adaptive' }).thinking).toEqual({
      type: 'adaptive',
    });
    expect(bodyOf({ messages: [said('Hi')] }, budget).thinking).toEqual({
      type: 'enabled',
      budget_tokens: 4_000,
    });
  });

  it('leaves room for the answer, and is left out when there is none', () => {
    expect(bodyOf({ maxOutputTokens: 2_000 }, budget).thinking).toMatchObject({ budget_tokens: 1_999 });
    expect(bodyOf({ maxOutputTokens: 1_000 }, budget)).not.toHaveProperty('thinking');
  });

  it('is left out about results whose call another provider made without a thought', () => {
    const called = [said('Go'), answered('', ['t', 'add', '{}']), result('t', '3')];
    expect(bodyOf({ messages: called }, budget)).not.toHaveProperty('thinking');
    expect(bodyOf({ messages: [...called, answered('3'), said('And?')] }, budget)).toHaveProperty('thinking');
  });
});

describe('marks for the prompt cache', () => {
  const mark = { cache_control: { type: 'ephemeral' } };

  it('stand at the ends of tools, system prompt and the last two messages of the user', () => {
    const messages: PromptMessage[] = [
      { role: 'system', text: 'Be brief.' },
      said('One'),
      answered('1', ['t', 'add', '{}']),
      result('t', 'Two'),
      answered('2'),
      said('Three'),
    ];
    const body = bodyOf(
      { messages, tools: [add, { ...add, name: 'mul' }] },
      { ...bare, promptCaching: true },
    );
    expect(body.system).toMatchObject([mark]);
    expect(body.tools).toMatchObject([{ name: 'add' }, { name: 'mul', ...mark }]);
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4);
    const blocks = (body.messages as { content: object[] }[]).map(({ content }) => content.at(-1));
    expect(blocks.map((block) => 'cache_control' in (block ?? {}))).toEqual([
      false,
      false,
      true,
      false,
      true,
    ]);
  });

  it('are left out when they are switched off', () => {
    expect(JSON.stringify(bodyOf({ messages: [said('Hi')] }))).not.toContain('cache_control');
  });
});

describe('the request over HTTP', () => {
  const answer = [messageStart(), textBlock(0, 'Hi'), messageEnd()];

  async function headersOf(options: Parameters<typeof generate>[1], path = '') {
    const { baseURL, requests } = await serve((response) => stream(response, answer));
    await generate(baseURL.replace('/v1', path), options);
    return requests[0];
  }

  it('carries the key both ways, the version that all servers know, and nothing about this machine', async () => {
    const request = await headersOf({});
    expect(request).toMatchObject({ method: 'POST', url: '/v1/messages' });
    expect(request?.headers).toMatchObject({
      'x-api-key': 'sk-test-key',
      authorization: 'Bearer sk-test-key',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
      'idempotency-key': 'run:1',
    });
    expect(Object.keys(request?.headers ?? {}).filter((name) => name.startsWith('x-stainless'))).toEqual([]);
  });

  it.each(['', '/', '/v1', '/v1/'])('goes to /v1/messages for a base URL that ends in "%s"', async (path) => {
    expect((await headersOf({}, path))?.url).toBe('/v1/messages');
  });

  it('keeps the path of the base URL', async () => {
    expect((await headersOf({}, '/anthropic'))?.url).toBe('/anthropic/v1/messages');
  });

  it('carries no key to a server without keys', async () => {
    const request = await headersOf({ apiKey: null });
    expect(request?.headers).not.toHaveProperty('authorization');
    expect(request?.headers).not.toHaveProperty('x-api-key');
  });

  it('carries the headers that are configured, before all others', async () => {
    const headers = {
      'anthropic-beta': 'interleaved-thinking-2025-05-14',
      'X-Api-Key': 'mine',
      'X-Team': 'a',
    };
    const request = await headersOf({ headers, version: '2026-10-21' });
    expect(request?.headers).toMatchObject({
      'anthropic-beta': 'interleaved-thinking-2025-05-14',
      'anthropic-version': '2026-10-21',
      'x-api-key': 'mine',
      'x-team': 'a',
    });
  });

  it.each([null, 'sk-test-key'])('carries nothing from the environment (key: %s)', async (apiKey) => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-of-env');
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'token-of-env');
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:1');
    vi.stubEnv('ANTHROPIC_CUSTOM_HEADERS', 'X-Team: of-env\nAuthorization: of-env\nanthropic-beta: of-env');
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    expect(JSON.stringify((await headersOf({ apiKey }))?.headers)).not.toContain('of-env');
  });
});
