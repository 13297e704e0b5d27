import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResponsesModel } from '../../../../src/models/openai/responses/responses.ts';
import type { ChatModel, PromptMessage } from '../../../../src/protocol/ports/chat-model.ts';
import { sized } from '../../../support/size.ts';
import { keepResponses } from './keeping-server.ts';
import { asMessage, functionCall, generate, message, reasoning } from './support.ts';

const system: PromptMessage = { role: 'system', text: 'Be brief.' };
const ask = (text: string): PromptMessage => ({ role: 'user', text });
const result = (toolCallId: string, text: string, isError = false): PromptMessage => {
  return { role: 'tool', toolCallId, name: 'weather', text, isError };
};
const userItem = (content: string) => ({ type: 'message', role: 'user', content });
const outputItem = (call_id: string, output: string) => ({ type: 'function_call_output', call_id, output });

const callThenText = [
  [functionCall('call_1', 'weather', '{"place":"Rome"}')],
  [message('12 degrees.')],
  [message('You are welcome.')],
];

async function next(chat: ChatModel, messages: PromptMessage[], model = 'a-model'): Promise<PromptMessage> {
  const signal = new AbortController().signal;
  const answer = await chat.generate(
    { model, messages, tools: [] },
    { signal, idempotencyKey: 'run:1', onDelta: () => {} },
  );
  expect(answer.error).toBeNull();
  return asMessage(answer);
}

describe('a thread', () => {
  it('sends only what came after the last response, and the instructions again', async () => {
    const { baseURL, bodies, contexts } = await keepResponses(callThenText);
    const chat = createResponsesModel({ baseURL, apiKey: 'k', threading: true });
    const prompt = [system, ask('Weather in Rome?')];
    prompt.push(await next(chat, prompt), result('call_1', 'no connection', true));
    prompt.push(await next(chat, prompt), ask('Thanks.'));
    await next(chat, prompt);

    expect(
      bodies.map(({ store, instructions, previous_response_id, input, include }) => ({
        store,
        instructions,
        previous_response_id,
        input,
        include,
      })),
    ).toEqual([
      { store: true, instructions: 'Be brief.', input: [userItem('Weather in Rome?')] },
      {
        store: true,
        instructions: 'Be brief.',
        previous_response_id: 'resp_1',
        input: [outputItem('call_1', 'no connection')],
      },
      {
        store: true,
        instructions: 'Be brief.',
        previous_response_id: 'resp_2',
        input: [userItem('Thanks.')],
      },
    ]);
    expect(contexts[2]).toHaveLength(5);
  });

  it('continues after a message that another provider, or no provider, has a response for', async () => {
    const { baseURL, bodies } = await keepResponses(callThenText.slice(1));
    const chat = createResponsesModel({ baseURL, apiKey: 'k', threading: true });
    const prompt = [ask('Hello')];
    prompt.push(await next(chat, prompt), ask('And?'));
    prompt.push({ role: 'assistant', text: 'From elsewhere.', reasoning: '', toolCalls: [] }, ask('Go on.'));
    await next(chat, prompt);
    expect(bodies[1]).toMatchObject({
      previous_response_id: 'resp_1',
      input: [userItem('And?'), { role: 'assistant', content: 'From elsewhere.' }, userItem('Go on.')],
    });
  });

  it('gives the server its own ids of calls, whatever the conversation calls them', async () => {
    const { baseURL, bodies } = await keepResponses(callThenText);
    const chat = createResponsesModel({ baseURL, apiKey: 'k', threading: true });
    const prompt = [ask('Weather in Rome?')];
    const answer = await next(chat, prompt);
    if (answer.role !== 'assistant') throw new Error('no answer');
    const renamed = answer.toolCalls.map((call) => ({ ...call, id: 'ours_1' }));
    await next(chat, [...prompt, { ...answer, toolCalls: renamed }, result('ours_1', '12')]);
    expect(bodies[1]?.input).toEqual([outputItem('call_1', '12')]);
  });

  const changes: [string, (prompt: PromptMessage[]) => PromptMessage[], string | undefined][] = [
    ['what came before was changed', (prompt) => [ask('Weather in Oslo?'), ...prompt.slice(1)], undefined],
    ['what came before became a summary', (prompt) => [ask('[Summary]'), ...prompt.slice(2)], undefined],
    ['something was put before', (prompt) => [ask('First.'), ...prompt], undefined],
    [
      'the answer was changed',
      (prompt) => prompt.map((one) => (one.role === 'assistant' ? { ...one, text: 'No.' } : one)),
      undefined,
    ],
    [
      'the instructions were changed',
      (prompt) => [{ role: 'system', text: 'Be long.' }, ...prompt],
      'resp_1',
    ],
    ['nothing was changed', (prompt) => prompt, 'resp_1'],
  ];

  it.each(changes)('is left, or not, when %s', async (_, change, expected) => {
    const { baseURL, bodies } = await keepResponses(callThenText.slice(1));
    const chat = createResponsesModel({ baseURL, apiKey: 'k', threading: true });
    const prompt = [ask('Weather in Rome?')];
    prompt.push(await next(chat, prompt), ask('Thanks.'));
    const changed = change(prompt);
    await next(chat, changed);
    expect(bodies[1]?.previous_response_id).toBe(expected);
    const history = changed.filter(({ role }) => role !== 'system').length;
    expect(bodies[1]?.input).toHaveLength(expected ? 1 : history);
  });

  it('is left when another model is asked', async () => {
    const { baseURL, bodies } = await keepResponses(callThenText.slice(1));
    const chat = createResponsesModel({ baseURL, apiKey: 'k', threading: true });
    const prompt = [ask('Hello')];
    prompt.push(await next(chat, prompt), ask('Thanks.'));
    await next(chat, prompt, 'another-model');
    expect(bodies[1]).not.toHaveProperty('previous_response_id');
  });

  it('is given up within the call when the server has lost it', async () => {
    const server = await keepResponses(callThenText);
    const chat = createResponsesModel({ baseURL: server.baseURL, apiKey: 'k', threading: true });
    const prompt = [ask('Weather in Rome?')];
    prompt.push(await next(chat, prompt), result('call_1', '12'));
    server.forget();
    prompt.push(await next(chat, prompt), ask('Thanks.'));
    await next(chat, prompt);
    expect(server.bodies.map((body) => body.previous_response_id)).toEqual([
      undefined,
      'resp_1',
      undefined,
      'resp_2',
    ]);
    expect(server.contexts[1]).toMatchObject([
      userItem('Weather in Rome?'),
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"place":"Rome"}' },
      outputItem('call_1', '12'),
    ]);
    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual(['run:1', 'run:1', 'run:1:2', 'run:1']);
  });

  it('does not begin at an answer that the server did not keep, or that is not whole', async () => {
    const { baseURL } = await keepResponses([[message('Hi')]]);
    expect((await generate(baseURL, { threading: true })).answer.providerData).toBeDefined();
    expect((await generate(baseURL, { threading: false })).answer.providerData).toBeUndefined();
    const waiting = [{ type: 'custom_tool_call', id: 'ctc_1', call_id: 'c1', name: 'sql', input: '' }];
    const server = await keepResponses([waiting, [message('Hi')]]);
    const { answer } = await generate(server.baseURL, { threading: true });
    await generate(server.baseURL, {
      threading: true,
      request: { messages: [ask('Hello'), asMessage(answer), ask('And?')] },
    });
    expect(server.bodies[1]).not.toHaveProperty('previous_response_id');
    expect(JSON.stringify(server.bodies[1])).not.toContain('custom_tool_call');
  });

  it('is the default at OpenAI only', async () => {
    const { baseURL, bodies } = await keepResponses([[message('Hi')]]);
    await generate(baseURL);
    expect(bodies[0]).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
  });
});

describe('any conversation', () => {
  const output = fc.oneof(
    fc.string({ minLength: 1 }).map((text) => [message(text)]),
    fc
      .tuple(
        fc.option(fc.string({ minLength: 1 })),
        fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }),
      )
      .map(([text, names]) => [
        reasoning({ encrypted_content: 'gAAA' }),
        ...(text === null ? [] : [message(text)]),
        ...names.map((name, i) => functionCall(`call_${i}`, name, '{}')),
      ]),
  );

  /** What was said, without what only one of the two forms has. */
  const said = (context: Record<string, unknown>[]) =>
    context
      .filter(({ type }) => type !== 'reasoning')
      .map(({ type, role, content, name, arguments: args, output }) => {
        const text = Array.isArray(content) ? content.map((part) => part.text).join('') : content;
        return { type, role, text, name, args, output };
      });

  it('comes to the same at the server whether it is kept there, sent whole, or lost on the way', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(output, { minLength: 1, maxLength: 6 }),
        fc.nat(6),
        async (outputs, lostAt) => {
          const runs = [
            { threading: true, forgets: false },
            { threading: false, forgets: false },
            { threading: true, forgets: true },
          ].map(async ({ threading, forgets }) => {
            const server = await keepResponses(outputs);
            const chat = createResponsesModel({ baseURL: server.baseURL, apiKey: 'k', threading });
            const prompt: PromptMessage[] = [system, ask('Hello')];
            for (const [turn] of outputs.entries()) {
              if (forgets && turn === lostAt) server.forget();
              const answer = await next(chat, prompt);
              if (answer.role !== 'assistant') throw new Error('no answer');
              // As the projection does, since this server counts its calls from 0 in every answer.
              const toolCalls = answer.toolCalls.map((call, i) => ({ ...call, id: `call_${turn}_${i}` }));
              prompt.push({ ...answer, toolCalls });
              for (const [i, { id }] of toolCalls.entries()) prompt.push(result(id, `result ${i}`));
              if (toolCalls.length === 0) prompt.push(ask(`question ${turn}`));
            }
            return server.contexts.map(said);
          });
          const [kept, whole, lost] = await Promise.all(runs);
          expect(whole).toEqual(kept);
          expect(lost).toEqual(kept);
        },
      ),
      { numRuns: sized(15, 300) },
    );
  });
});
