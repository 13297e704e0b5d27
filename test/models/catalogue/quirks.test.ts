import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quirksOf } from '../../../src/models/catalogue/presets.ts';
import { type Quirks, usualQuirks } from '../../../src/models/catalogue/quirks.ts';
import { CallIds } from '../../../src/models/openai/call-ids.ts';
import { chatRequestBody } from '../../../src/models/openai/chat-request.ts';
import type { PromptMessage } from '../../../src/protocol/ports/chat-model.ts';
import { chunk, done, generate } from '../openai/support.ts';
import { serve, stream } from '../support/loopback.ts';

const weather = { name: 'weather', description: '', parameters: { type: 'object' } };

function answer(id: string, over: Partial<Extract<PromptMessage, { role: 'assistant' }>> = {}) {
  const toolCalls = [{ id, name: 'weather', arguments: '{}' }];
  return { role: 'assistant' as const, text: '', reasoning: '', toolCalls, ...over };
}

function result(id: string) {
  return { role: 'tool' as const, toolCallId: id, name: 'weather', text: '12 °C', isError: false };
}

const question: PromptMessage = { role: 'user', text: 'Weather?' };
const made = { reasoning: 'Hm.', providerData: { reasoning_field: 'reasoning_content' } };

/** The body as it goes over HTTP to a provider of this name. */
async function sent(provider: string, messages: PromptMessage[], quirks: Partial<Quirks> = {}) {
  const { baseURL, requests } = await serve((response) =>
    stream(response, [chunk({ content: 'Hi' }, { finish: 'stop' }), done]),
  );
  const request = { messages, tools: [weather], maxOutputTokens: 9 };
  await generate(baseURL, { provider, quirks, request });
  return JSON.parse(requests[0]?.body ?? '') as Record<string, unknown> & {
    messages: { role: string; content: unknown; [field: string]: unknown }[];
  };
}

function bodyWith(quirks: Partial<Quirks>, messages: PromptMessage[]) {
  return chatRequestBody({ model: 'm', messages, tools: [weather] }, { ...usualQuirks, ...quirks });
}

describe('the field that limits an answer', () => {
  it.each([
    ['openai', 'max_completion_tokens', 'max_tokens'],
    ['groq', 'max_completion_tokens', 'max_tokens'],
    ['moonshot', 'max_completion_tokens', 'max_tokens'],
    ['xai', 'max_completion_tokens', 'max_tokens'],
    ['mistral', 'max_tokens', 'max_completion_tokens'],
    ['deepseek', 'max_tokens', 'max_completion_tokens'],
    ['any-word', 'max_tokens', 'max_completion_tokens'],
  ])('of %s is %s', async (provider, field, other) => {
    const body = await sent(provider, [question]);
    expect(body[field]).toBe(9);
    expect(body).not.toHaveProperty(other);
  });
});

describe('usage in the stream', () => {
  it('is asked for, except from Mistral, which refuses to be asked', async () => {
    expect(await sent('any-word', [question])).toMatchObject({ stream_options: { include_usage: true } });
    expect(await sent('mistral', [question])).not.toHaveProperty('stream_options');
  });
});

describe('ids of calls', () => {
  const foreign = ['call_PTLP8xhu3uwZk4l3nlnrrJha', 'functions.weather:0', 'abcDEF123', 'toolu_01A'];
  const conversation = foreign.flatMap((id) => [answer(id), result(id)]);

  it('are nine letters and digits for Mistral, the same for a call and its result, all different', async () => {
    const { messages } = await sent('mistral', [question, ...conversation]);
    const calls = messages.flatMap(({ tool_calls: calls }) => (calls as { id: string }[] | undefined) ?? []);
    const ids = calls.map(({ id }) => id);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(ids[2]).toBe('abcDEF123');
    expect(new Set(ids).size).toBe(foreign.length);
    expect(messages.filter(({ role }) => role === 'tool').map((message) => message.tool_call_id)).toEqual(
      ids,
    );
  });

  it('stay as they are where any will do', async () => {
    const { messages } = await sent('any-word', [question, ...conversation]);
    expect(messages.filter(({ role }) => role === 'tool').map((message) => message.tool_call_id)).toEqual(
      foreign,
    );
  });

  it.each(['openai', 'openrouter'])('are 40 characters at most for %s', async (provider) => {
    const id = `fc_${'0'.repeat(50)}`;
    const { messages } = await sent(provider, [question, answer(id), result(id), answer('c'), result('c')]);
    const ids = messages.filter(({ role }) => role === 'tool').map((message) => message.tool_call_id);
    expect(ids).toEqual([expect.stringMatching(/^\w{9}$/), 'c']);
  });

  it('are of the right form, different, found again by results, and do not change as the prompt grows', () => {
    const forms = { any: /^/, max40: /^.{1,40}$/su, alphanumeric9: /^[a-zA-Z0-9]{9}$/ };
    const someId = fc.oneof(fc.string(), fc.constantFrom('', 'call_0', 'abcdefghi', 'x'.repeat(60)));
    fc.assert(
      fc.property(
        fc.constantFrom(...(['any', 'max40', 'alphanumeric9'] as const)),
        fc.array(someId),
        fc.nat(),
        (form, ids, cut) => {
          const all = new CallIds(form);
          const sent = ids.map((id) => all.forCall(id));
          expect(sent.every((id) => forms[form].test(id))).toBe(true);
          expect(new Set(sent).size).toBe(ids.length);
          expect(ids.map((id) => all.forResult(id))).toEqual(sent);
          const shorter = new CallIds(form);
          const start = ids.slice(0, cut % (ids.length + 1));
          expect(start.map((id) => shorter.forCall(id))).toEqual(sent.slice(0, start.length));
        },
      ),
    );
  });
});

describe('an answer of calls alone', () => {
  it('has the content null, and an empty text where null is refused', async () => {
    const conversation = [question, answer('c'), result('c')];
    expect((await sent('any-word', conversation)).messages[1]?.content).toBeNull();
    for (const provider of ['ollama', 'lmstudio'])
      expect((await sent(provider, conversation)).messages[1]?.content).toBe('');
  });
});

describe('reasoning', () => {
  const conversation: PromptMessage[] = [
    question,
    answer('a', made),
    result('a'),
    answer('b'),
    result('b'),
    answer('c', { ...made, text: 'Warm.', toolCalls: [] }),
    question,
  ];
  const thoughts = (messages: Record<string, unknown>[]) =>
    messages.filter(({ role }) => role === 'assistant').map((message) => message.reasoning_content);

  it.each([
    ['any-word', ['Hm.', undefined, undefined]],
    ['zhipu', ['Hm.', undefined, undefined]],
    ['deepseek', ['Hm.', '', 'Hm.']],
    ['moonshot', ['Hm.', '', 'Hm.']],
    ['kimi', ['Hm.', '', 'Hm.']],
    ['mistral', [undefined, undefined, undefined]],
    ['groq', [undefined, undefined, undefined]],
    ['openai', [undefined, undefined, undefined]],
  ])('goes back to %s as it wants it', async (provider, expected) => {
    expect(thoughts((await sent(provider, conversation)).messages)).toEqual(expected);
  });

  it('takes its details along, or leaves them out with it', () => {
    const details = [{ type: 'reasoning.text', text: 'Hm.', index: 0 }];
    const conversation = [question, answer('a', { providerData: { reasoning_details: details } })];
    expect(bodyWith({}, conversation).messages).toMatchObject([{}, { reasoning_details: details }]);
    const [, strict] = bodyWith({ reasoning: 'never' }, conversation).messages as object[];
    expect(strict).not.toHaveProperty('reasoning_details');
  });
});

describe('the order of messages', () => {
  const stopped = [question, answer('a'), result('a'), question, question];
  const roles = (messages: readonly { role: string }[]) => messages.map(({ role }) => role);

  it('has an answer between results and the user for Mistral, which refuses it otherwise', async () => {
    const { messages } = await sent('mistral', stopped);
    expect(roles(messages)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user', 'user']);
    expect(messages[3]?.content).not.toBe('');
  });

  it('has one before images that a result came with, too', async () => {
    const image = { type: 'image' as const, mimeType: 'image/png', data: 'aGk=' };
    const conversation: PromptMessage[] = [question, answer('a'), { ...result('a'), parts: [image] }];
    const { messages } = await sent('mistral', conversation);
    expect(roles(messages)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(JSON.stringify(messages.at(-1)?.content)).toContain('image_url');
    expect(roles((await sent('any-word', conversation)).messages)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ]);
  });

  it('stays as it is elsewhere', async () => {
    expect(roles((await sent('any-word', stopped)).messages)).toEqual(roles(stopped));
  });

  it('alternates where a server says so, with nothing lost', async () => {
    const { messages } = await sent('any-word', stopped, { turns: 'alternating' });
    expect(roles(messages)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(messages.at(-1)?.content).toBe('Weather?\n\nWeather?');
  });
});

describe('other quirks of a server', () => {
  it.each(['system', 'developer', 'user'] as const)('instructions come in the role %s', (systemRole) => {
    const { messages } = bodyWith({ systemRole }, [{ role: 'system', text: 'Be brief.' }, question]);
    expect(messages).toMatchObject([{ role: systemRole, content: 'Be brief.' }, { role: 'user' }]);
  });

  it.each([true, false])('parallel calls are said to be %s, when there are tools', (parallelCalls) => {
    expect(bodyWith({ parallelCalls }, [question]).parallel_tool_calls).toBe(parallelCalls);
    expect(bodyWith({}, [question])).not.toHaveProperty('parallel_tool_calls');
    const without = { model: 'm', messages: [question], tools: [] };
    expect(chatRequestBody(without, { ...usualQuirks, parallelCalls })).not.toHaveProperty(
      'parallel_tool_calls',
    );
  });
});

describe('the quirks of a server', () => {
  it.each([
    ['api.openai.com', 'openai'],
    ['my.openai.azure.com', 'openai'],
    ['api.mistral.ai', 'mistral'],
    ['codestral.mistral.ai', 'mistral'],
    ['api.moonshot.ai', 'moonshot'],
    ['api.moonshot.cn', 'moonshot'],
    ['api.groq.com', 'groq'],
    ['openrouter.ai', 'openrouter'],
  ])('%s is told by its host, whatever it is called', (hostname, preset) => {
    expect(quirksOf(hostname)).toEqual(quirksOf('proxy.example', preset));
    expect(quirksOf(hostname)).not.toEqual(usualQuirks);
  });

  it.each(['notopenai.com', 'mistral.ai.example', 'localhost', '127.0.0.1'])(
    '%s is a server like most',
    (hostname) => expect(quirksOf(hostname)).toEqual(usualQuirks),
  );

  it('are those of the host, or of the name at an unknown host, and above all of the configuration', () => {
    expect(quirksOf('127.0.0.1', 'ollama').noText).toBe('empty');
    expect(quirksOf('api.mistral.ai', 'openai')).toEqual(quirksOf('api.mistral.ai'));
    expect(quirksOf('api.mistral.ai', 'openai', { callIds: 'any' }).callIds).toBe('any');
    expect(quirksOf('x', 'constructor')).toEqual(usualQuirks);
  });
});
