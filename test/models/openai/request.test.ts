import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { usualQuirks } from '../../../src/models/catalogue/quirks.ts';
import { chatRequestBody } from '../../../src/models/openai/chat-request.ts';
import type { PromptMessage } from '../../../src/protocol/ports/chat-model.ts';
import { serve, stream } from '../support/loopback.ts';
import { callChunks, chunk, done, generate } from './support.ts';

const weather = {
  name: 'weather',
  description: 'The weather at a place',
  parameters: { type: 'object', properties: { place: { type: 'string' } } },
};

const conversation: PromptMessage[] = [
  { role: 'system', text: 'Be brief.' },
  { role: 'user', text: 'Weather in 北京?' },
  {
    role: 'assistant',
    text: '',
    reasoning: 'I need the tool.',
    toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{"place": "北京"}' }],
  },
  { role: 'tool', toolCallId: 'call_1', name: 'weather', text: '12 °C', isError: false },
];

function answering() {
  return serve((response) => stream(response, [chunk({ content: 'Hi' }, { finish: 'stop' }), done]));
}

function assistant(message: Partial<Extract<PromptMessage, { role: 'assistant' }>>, tools = [weather]) {
  const full = { role: 'assistant' as const, text: '', reasoning: '', toolCalls: [], ...message };
  const request = { model: 'm', messages: [full], tools };
  return chatRequestBody(request, usualQuirks).messages as Record<string, unknown>[];
}

describe('the request', () => {
  it('carries the conversation in order, the tools and the wish for usage', async () => {
    const { baseURL, requests } = await answering();
    await generate(baseURL, {
      request: { model: 'gpt-x', messages: conversation, tools: [weather], maxOutputTokens: 500 },
    });
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      model: 'gpt-x',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Weather in 北京?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"place": "北京"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: '12 °C' },
      ],
      stream: true,
      stream_options: { include_usage: true },
      tools: [{ type: 'function', function: weather }],
      max_tokens: 500,
    });
  });

  it('goes to the right place with the key, the idempotency key and own headers, and no machine details', async () => {
    const { baseURL, requests } = await answering();
    await generate(`${baseURL}/`, { headers: { 'X-Title': 'Detent' } });
    const [request] = requests;
    expect(request).toMatchObject({ method: 'POST', url: '/v1/chat/completions' });
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer sk-test-key',
      'content-type': 'application/json',
      'idempotency-key': 'run:1',
      'x-title': 'Detent',
    });
    expect(Object.keys(request?.headers ?? {}).filter((name) => name.startsWith('x-stainless'))).toEqual([]);
  });

  it('keeps the query of the base URL, as Azure needs it', async () => {
    const { baseURL, requests } = await answering();
    await generate(`${baseURL}?api-version=2024-10-21`, { apiKey: null, headers: { 'api-key': 'k' } });
    expect(requests[0]?.url).toBe('/v1/chat/completions?api-version=2024-10-21');
    expect(requests[0]?.headers['api-key']).toBe('k');
  });

  it('sends no authorization without a key, and nothing of the OpenAI environment', async () => {
    process.env.OPENAI_API_KEY = 'sk-from-environment';
    process.env.OPENAI_ORG_ID = 'org-from-environment';
    process.env.OPENAI_PROJECT_ID = 'project-from-environment';
    const { baseURL, requests } = await answering();
    await generate(baseURL, { apiKey: null });
    delete process.env.OPENAI_API_KEY;
    delete process.env.OPENAI_ORG_ID;
    delete process.env.OPENAI_PROJECT_ID;
    expect(requests[0]?.headers.authorization).toBeUndefined();
    expect(JSON.stringify(requests)).not.toContain('from-environment');
  });

  it('is sent once, whatever comes back', async () => {
    const { baseURL, requests } = await serve((response) => response.writeHead(503).end());
    await generate(baseURL);
    expect(requests).toHaveLength(1);
  });

  it('reuses connections', async () => {
    const { baseURL, sockets } = await serve((response) =>
      response.end(chunk({}, { finish: 'stop' }) + done),
    );
    for (let call = 0; call < 6; call++) await generate(baseURL);
    expect(sockets.size).toBe(1);
  });

  it('has no tools field without tools', () => {
    const body = chatRequestBody({ model: 'm', messages: [], tools: [] }, usualQuirks);
    expect(body).not.toHaveProperty('tools');
    expect(body).not.toHaveProperty('max_tokens');
  });

  it.each([
    ['', '{}'],
    ['{"place": ', '{}'],
    ['[1]', '{}'],
    ['"x"', '{}'],
    ['{"a": 1}', '{"a": 1}'],
  ])('sends the arguments %j as %j', (written, sent) => {
    const [message] = assistant({ toolCalls: [{ id: 'c', name: 'weather', arguments: written }] });
    expect(message?.tool_calls).toMatchObject([{ function: { name: 'weather', arguments: sent } }]);
  });

  it('makes a name that the model made up acceptable, and leaves the names of tools alone', () => {
    const call = { id: 'c', arguments: '{}' };
    const toolCalls = [
      { ...call, name: 'web.search now' },
      { ...call, name: '' },
      { ...call, name: 'my.tool' },
    ];
    const [message] = assistant({ toolCalls }, [{ ...weather, name: 'my.tool' }]);
    expect(message?.tool_calls).toMatchObject([
      { function: { name: 'web_search_now' } },
      { function: { name: 'unknown' } },
      { function: { name: 'my.tool' } },
    ]);
  });

  it('leaves an answer of nothing out', () => {
    expect(assistant({ reasoning: 'Only thoughts.' })).toEqual([]);
    expect(assistant({ text: 'Hi' })).toEqual([{ role: 'assistant', content: 'Hi' }]);
  });

  it('replaces half characters, which servers refuse', () => {
    expect(assistant({ text: 'cut \ud83d' })[0]?.content).toBe('cut \ufffd');
  });

  it('does not load the SDK before the first call', () => {
    const script = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      const { createOpenAIChat } = await import('./src/models/openai/chat.ts');
      createOpenAIChat({ baseURL: 'http://x/v1', apiKey: null });
      const before = loaded.filter((url) => url.includes('/node_modules/openai/')).length;
      await import('openai');
      const after = loaded.filter((url) => url.includes('/node_modules/openai/')).length;
      console.log(JSON.stringify({ before, after }));
    `;
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    const { before, after } = JSON.parse(out);
    expect(before).toBe(0);
    expect(after).toBeGreaterThan(0);
  });
});

describe('what a provider wants to see again', () => {
  it('goes back with the call: reasoning_content, and the reasoning details unchanged', async () => {
    const details = [
      { type: 'reasoning.text', text: 'I need ', format: 'anthropic-claude-v1', index: 0 },
      { type: 'reasoning.text', text: 'the tool.', index: 0 },
      { type: 'reasoning.text', signature: 'c2ln', index: 0 },
      { type: 'reasoning.encrypted', data: 'ZW5j', index: 1 },
    ];
    const { baseURL, requests } = await serve((response) =>
      stream(response, [
        ...details.map((detail) =>
          chunk({ reasoning_content: detail.text ?? null, reasoning_details: [detail] }),
        ),
        chunk({ tool_calls: [{ index: 0, id: 'call_1', function: { name: 'weather', arguments: '{}' } }] }),
        chunk({}, { finish: 'tool_calls' }),
      ]),
    );
    const { answer } = await generate(baseURL);
    const { text, reasoning, toolCalls, providerData } = answer;
    const said = {
      role: 'assistant' as const,
      text,
      reasoning,
      toolCalls,
      ...(providerData && { providerData }),
    };
    await generate(baseURL, { request: { messages: [said] } });
    expect(JSON.parse(requests[1]?.body ?? '').messages[0]).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
      reasoning_content: 'I need the tool.',
      reasoning_details: [
        {
          type: 'reasoning.text',
          text: 'I need the tool.',
          format: 'anthropic-claude-v1',
          index: 0,
          signature: 'c2ln',
        },
        { type: 'reasoning.encrypted', data: 'ZW5j', index: 1 },
      ],
    });
  });

  it('goes back with each call: the extra content that came with it', async () => {
    const { baseURL, requests } = await serve((response) =>
      stream(response, [
        callChunks(
          {
            id: 'a',
            function: { name: 'weather', arguments: '' },
            extra_content: { google: { sign: 'c2ln' } },
          },
          { id: 'a', function: { arguments: '{}' }, extra_content: null },
          { id: 'b', function: { name: 'weather', arguments: '{}' } },
          { id: 'c', function: { name: 'weather', arguments: '{}' } },
          { id: 'c', extra_content: { google: { sign: 'bGF0ZQ' } } },
        ),
        chunk({}, { finish: 'tool_calls' }),
      ]),
    );
    const { toolCalls, providerData, error } = (await generate(baseURL)).answer;
    expect(error).toBeNull();
    const said = { role: 'assistant' as const, text: '', reasoning: '', toolCalls, providerData };
    await generate(baseURL, { request: { messages: [said] } });
    const call = (id: string) => ({ id, type: 'function', function: { name: 'weather', arguments: '{}' } });
    expect(JSON.parse(requests[1]?.body ?? '').messages[0].tool_calls).toEqual([
      { ...call('a'), extra_content: { google: { sign: 'c2ln' } } },
      call('b'),
      { ...call('c'), extra_content: { google: { sign: 'bGF0ZQ' } } },
    ]);
  });

  it('goes back only to a provider that made it, and only with tool calls', () => {
    const toolCalls = [{ id: 'c', name: 'weather', arguments: '{}' }];
    const reasoning = 'Hm.';
    const providerData = { reasoning_field: 'reasoning_content' };
    expect(assistant({ toolCalls, reasoning })[0]).not.toHaveProperty('reasoning_content');
    expect(assistant({ text: 'Hi', reasoning, providerData })[0]).not.toHaveProperty('reasoning_content');
    expect(assistant({ toolCalls, reasoning, providerData })[0]).toMatchObject({ reasoning_content: 'Hm.' });
    expect(assistant({ toolCalls, providerData })[0]).toMatchObject({ reasoning_content: '' });
  });
});
