import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { DetentOptions } from '../../../src/index.ts';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { refused, servedToOpenAi } from './support.ts';
import { asksFor, parameters, shownResults } from './tools-support.ts';

type Response = OpenAI.Responses.Response;
type Item = OpenAI.Responses.ResponseInputItem;

const weather = { type: 'function' as const, name: 'weather', description: 'now', parameters, strict: true };
const request = { model: 'default', tools: [weather], input: 'What should I wear?' };

const callsOf = ({ output }: Response) => output.filter(({ type }) => type === 'function_call');

/** The results of all calls of a response. */
function resultsOf(response: Response, ...results: string[]): Item[] {
  return callsOf(response).map((call, i) => ({
    type: 'function_call_output',
    call_id: (call as { call_id: string }).call_id,
    output: results[i] ?? '',
  }));
}

async function called(
  script: readonly ScriptLine[] = [asksFor('Oslo', 'Rome'), { text: 'A coat.' }],
  options: DetentOptions = {},
) {
  const served = await servedToOpenAi(script, options);
  const first = await served.client.responses.create(request);
  const follow = (input: Item[], more: object = {}) =>
    served.client.responses.create({ ...request, input, previous_response_id: first.id, ...more });
  return { ...served, first, follow };
}

describe('tools of a client in a response', () => {
  it('are called, and the run goes on with the results', async () => {
    const { client, first, follow, model, detent } = await called([
      { text: 'I look.', ...asksFor('Oslo', 'Rome'), usage: { inputTokens: 5, outputTokens: 2 } },
      { text: 'A coat.', usage: { inputTokens: 9, outputTokens: 3 } },
    ]);
    expect(first).toMatchObject({
      status: 'completed',
      output: [
        { type: 'message', phase: 'commentary', content: [{ text: 'I look.' }] },
        {
          type: 'function_call',
          status: 'completed',
          call_id: `call_${first.id}_c2`,
          name: 'weather',
          arguments: '{"city":"Oslo"}',
        },
        { type: 'function_call', arguments: '{"city":"Rome"}' },
      ],
      usage: { input_tokens: 5, output_tokens: 2 },
    });
    const second = await follow(resultsOf(first, '4 degrees', ''));
    expect(second).toMatchObject({
      id: `${first.id}-2`,
      previous_response_id: first.id,
      status: 'completed',
      output_text: 'A coat.',
      usage: { input_tokens: 9, output_tokens: 3 },
      conversation: first.conversation,
    });
    expect(shownResults(model, 1)).toEqual(['4 degrees', '']);
    expect(await detent.runs.list()).toHaveLength(1);
    for (const response of [first, second]) {
      const { output_text: _, ...read } = await client.responses.retrieve(response.id);
      expect(read).toMatchObject({ output: response.output, usage: response.usage, status: 'completed' });
      expect(read.previous_response_id).toBe(response.previous_response_id);
      expect(read.completed_at).toBe(response.completed_at);
    }
    expect(await refused(client.responses.retrieve(`${first.id}-3`))).toMatchObject({ status: 404 });
  });

  it('go on without an earlier response named, from the items alone', async () => {
    const { client, first, model, detent } = await called();
    const input = [
      { role: 'user' as const, content: request.input },
      ...(first.output as Item[]),
      ...resultsOf(first, 'rain', 'sun'),
    ];
    const second = await client.responses.create({ ...request, input });
    expect([second.id, second.output_text]).toEqual([`${first.id}-2`, 'A coat.']);
    expect((await client.responses.create({ ...request, input })).output).toEqual(second.output);
    expect(shownResults(model, 1)).toEqual(['rain', 'sun']);
    expect(await detent.runs.list()).toHaveLength(1);
  });

  it('are followed round after round, with the results of all rounds in each request or only the new ones', async () => {
    const script = [asksFor('Oslo'), asksFor('Rome'), { text: 'A coat.' }];
    const { first, follow, model } = await called(script);
    const second = await follow(resultsOf(first, 'rain'));
    expect(second.output).toMatchObject([{ type: 'function_call', arguments: '{"city":"Rome"}' }]);
    const third = await follow(resultsOf(second, 'sun'), { previous_response_id: second.id });
    expect([third.id, third.output_text]).toEqual([`${first.id}-3`, 'A coat.']);
    expect(shownResults(model, 2)).toEqual(['rain', 'sun']);

    const { client, ...other } = await called(script);
    const items: Item[] = [
      { role: 'user', content: request.input },
      ...(other.first.output as Item[]),
      ...resultsOf(other.first, 'rain'),
    ];
    const next = await client.responses.create({ ...request, input: items });
    const last = [...items, ...(next.output as Item[]), ...resultsOf(next, 'sun')];
    expect((await client.responses.create({ ...request, input: last })).output_text).toBe('A coat.');
    expect(shownResults(other.model, 2)).toEqual(['rain', 'sun']);
  });

  it('are streamed as OpenAI streams them', async () => {
    const { client } = await servedToOpenAi([{ text: 'I look.', ...asksFor('Oslo') }, { text: 'A coat.' }]);
    const events = await Array.fromAsync(await client.responses.create({ ...request, stream: true }));
    const message = ['output_item.added', 'content_part.added', 'output_text.delta', 'output_text.done'];
    const call = ['output_item.added', 'function_call_arguments.delta', 'function_call_arguments.done'];
    expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      ...message,
      'content_part.done',
      'output_item.done',
      ...call,
      'output_item.done',
      'completed',
    ]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, i) => i));
    expect(events.filter(({ type }) => type.includes('function_call_arguments'))).toMatchObject([
      { delta: '{"city":"Oslo"}', output_index: 1 },
      { arguments: '{"city":"Oslo"}', name: 'weather', output_index: 1 },
    ]);
    const stream = client.responses.stream({ ...request, input: 'And you?', tools: [] });
    expect((await stream.finalResponse()).output_text).toBe('A coat.');
  });

  it('are put together by the SDK, streamed, and followed', async () => {
    const { client } = await servedToOpenAi([asksFor('Oslo'), { text: 'A coat.' }]);
    const first = await client.responses.stream(request).finalResponse();
    expect(first.output).toMatchObject([{ type: 'function_call', parsed_arguments: { city: 'Oslo' } }]);
    const next = client.responses.stream({
      ...request,
      input: resultsOf(first as never, 'rain'),
      previous_response_id: first.id,
    });
    expect((await next.finalResponse()).output_text).toBe('A coat.');
  });

  it('are called in the background, too', async () => {
    const { client, detent } = await servedToOpenAi([asksFor('Oslo'), { text: 'A coat.' }]);
    const begun = await client.responses.create({ ...request, background: true });
    await detent.runs.attach(begun.id).result;
    const first = await client.responses.retrieve(begun.id);
    expect(first).toMatchObject({ status: 'completed', output: [{ type: 'function_call' }] });
    const next = await client.responses.create({
      ...request,
      input: resultsOf(first, 'rain'),
      background: true,
    });
    expect(next).toMatchObject({ id: `${begun.id}-2`, status: 'queued' });
    await detent.runs.attach(begun.id).result;
    expect(await client.responses.retrieve(next.id)).toMatchObject({ output_text: 'A coat.' });
  });

  it('are called one at a time where the client wants that', async () => {
    const { client } = await servedToOpenAi([asksFor('Oslo', 'Rome')]);
    const first = await client.responses.create({ ...request, parallel_tool_calls: false });
    expect([callsOf(first).length, first.parallel_tool_calls]).toEqual([1, false]);
    expect((await client.responses.retrieve(first.id)).parallel_tool_calls).toBe(false);
  });
});

describe('results of a client for a response', () => {
  it('must be there for all calls of it, and for no others', async () => {
    const { first, follow, client } = await called();
    const [rain, sun] = resultsOf(first, 'rain', 'sun') as [Item, Item];
    const other = { type: 'function_call_output' as const, call_id: 'call_elsewhere', output: '' };
    const user = { role: 'user' as const, content: 'And?' };
    for (const input of [[rain], [user], [other], [rain, sun, other]])
      expect(await refused(follow(input))).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
    const lone = await client.responses.create({ model: 'default', input: 'hi' });
    const elsewhere = follow([rain, sun], { previous_response_id: lone.id });
    expect(await refused(elsewhere)).toMatchObject({ status: 400, param: 'previous_response_id' });
    expect(await refused(follow([{ ...rain, output: { a: 1 } } as never, sun]))).toMatchObject({
      status: 400,
    });
  });

  it('are for the response that they follow, and one that asked for calls is followed by nothing else', async () => {
    const { first, follow } = await called([
      asksFor('Oslo'),
      asksFor('Rome'),
      { text: 'A coat.' },
      { text: 'Yes.' },
    ]);
    const second = await follow(resultsOf(first, 'rain'));
    const third = await follow(resultsOf(second, 'sun'), { previous_response_id: second.id });
    const user = [{ role: 'user' as const, content: 'Sure?' }];
    for (const previous_response_id of [first.id, second.id])
      expect(await refused(follow(user, { previous_response_id }))).toMatchObject({
        status: 400,
        message: expect.stringMatching(/call call_.*_c\d \(weather\) has no result/),
      });
    const swapped = follow(resultsOf(first, 'rain'), { previous_response_id: second.id });
    expect(await refused(swapped)).toMatchObject({ status: 400, param: 'previous_response_id' });
    const none = follow(user, { previous_response_id: `${first.id}-4` });
    expect(await refused(none)).toMatchObject({ status: 404 });
    expect((await follow(user, { previous_response_id: third.id })).output_text).toBe('Yes.');
  });

  it('with more words of the user begin a run in the session, which has both', async () => {
    const { first, follow, model, detent } = await called();
    const input = [...resultsOf(first, 'rain', 'sun'), { role: 'user' as const, content: 'In one word.' }];
    const second = await follow(input);
    expect(second.id).not.toContain(first.id);
    expect(second.output_text).toBe('A coat.');
    expect(await detent.runs.show(first.id)).toMatchObject({ status: 'cancelled' });
    expect(second.conversation).toEqual(first.conversation);
    expect(model.requests[1]?.messages.at(-1)?.text).toContain('rain\n\nResult of');
    expect(model.requests[1]?.messages.at(-1)?.text).toContain('The user says now:\n\nIn one word.');
  });

  it('are given by the user whose response it is', async () => {
    const { clientWith, token } = await servedToOpenAi([asksFor('Oslo'), { text: 'A coat.' }]);
    const anna = clientWith(await token({ userId: 'anna' }));
    const eve = clientWith(await token({ userId: 'eve' }));
    const first = await anna.responses.create(request);
    const next = { ...request, input: resultsOf(first, 'rain') };
    for (const previous of [
      {},
      { previous_response_id: first.id },
      { previous_response_id: `${first.id}-2` },
    ])
      expect(await refused(eve.responses.create({ ...next, ...previous }))).toMatchObject({ status: 404 });
    expect(await refused(eve.responses.retrieve(`${first.id}-2`))).toMatchObject({ status: 404 });
    expect((await anna.responses.create(next)).output_text).toBe('A coat.');
  });
});

describe('tools that a response cannot have', () => {
  it.each([
    ['web search', { tools: [{ type: 'web_search' }] }],
    ['code', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }],
    ['servers', { tools: [{ type: 'mcp', server_label: 'a', server_url: 'http://127.0.0.1:1' }] }],
    ['no name', { tools: [{ type: 'function' }] }],
    ['a call that is required', { tool_choice: 'required' }],
    ['a call of one tool', { tool_choice: { type: 'function', name: 'weather' } }],
    ['a search', { tool_choice: { type: 'file_search' } }],
  ])('%s', async (_, more) => {
    const { client, model } = await servedToOpenAi([]);
    const asked = client.responses.create({ ...request, ...more } as never);
    expect(await refused(asked)).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
    expect(model.requests).toHaveLength(0);
  });

  it('but it can be allowed some of them', async () => {
    const { client, model } = await servedToOpenAi([{ text: 'ok' }]);
    await client.responses.create({
      ...request,
      tools: [weather, { ...weather, name: 'now' }],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'now' }] },
    });
    const names = model.requests[0]?.tools.map(({ name }) => name);
    expect([names?.includes('now'), names?.includes('weather')]).toEqual([true, false]);
  });
});
