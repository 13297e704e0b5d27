import { describe, expect, it } from 'vitest';
import type { DetentOptions } from '../../../src/index.ts';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { temporaryWorkspace, tool } from '../../support/detent.ts';
import { refused, type ServedToOpenAi, servedToOpenAi } from './support.ts';
import {
  answered,
  asksFor,
  type Message,
  parameters,
  question,
  shownResults,
  weather,
} from './tools-support.ts';

const request = { model: 'default', tools: [weather], messages: question };

/** A gateway whose model has asked a client for the weather of two cities. */
async function called(
  script: readonly ScriptLine[] = [asksFor('Oslo', 'Rome'), { text: 'A coat.' }],
  options: DetentOptions = {},
) {
  const served = await servedToOpenAi(script, options);
  const first = await served.client.chat.completions.create(request);
  const send = (messages: readonly Message[], more: object = {}) =>
    served.client.chat.completions.create({ ...request, messages: [...messages], ...more });
  return { ...served, first, send };
}

const said = ({ choices }: { choices: { message: { content: string | null } }[] }) =>
  choices[0]?.message.content;

describe('tools of a client in a chat completion', () => {
  it('are called, and the run goes on with the results', async () => {
    const { client, model, detent } = await servedToOpenAi([
      { text: 'I look.', ...asksFor('Oslo', 'Rome'), usage: { inputTokens: 5, outputTokens: 2 } },
      { text: 'A coat.', usage: { inputTokens: 9, outputTokens: 3 } },
    ]);
    const first = await client.chat.completions.create(request);
    expect(first).toMatchObject({
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: 'I look.',
            tool_calls: [
              {
                id: `call_${first.id}_c2`,
                type: 'function',
                function: { name: 'weather', arguments: '{"city":"Oslo"}' },
              },
              { id: `call_${first.id}_c3`, function: { arguments: '{"city":"Rome"}' } },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 5, completion_tokens: 2 },
    });
    const messages = answered(question, first, '4 degrees', '');
    const second = await client.chat.completions.create({ ...request, messages });
    expect(second).toMatchObject({
      id: `${first.id}-2`,
      choices: [{ finish_reason: 'stop', message: { content: 'A coat.' } }],
      usage: { prompt_tokens: 9, completion_tokens: 3 },
    });
    expect(shownResults(model, 1)).toEqual(['4 degrees', '']);
    const runs = await detent.runs.list();
    expect(runs.map(({ runId, status }) => [runId, status])).toEqual([[first.id, 'done']]);
  });

  it('are offered as functions, whatever else a request says about them', async () => {
    const { client, model } = await servedToOpenAi([
      { text: 'a' },
      { text: 'b' },
      { text: 'c' },
      { text: 'd' },
    ]);
    const other = { type: 'function' as const, function: { name: 'now' } };
    const offer = async (more: object) => {
      await client.chat.completions.create({ ...request, tools: [weather, other], ...more });
      return model.requests
        .at(-1)
        ?.tools.map(({ name }) => name)
        .filter((name) => name === 'weather' || name === 'now');
    };
    expect(await offer({ tool_choice: 'auto' })).toEqual(['now', 'weather']);
    expect(await offer({ tool_choice: 'none' })).toEqual([]);
    const allowed = { mode: 'auto', tools: [{ type: 'function', function: { name: 'now' } }] };
    expect(await offer({ tool_choice: { type: 'allowed_tools', allowed_tools: allowed } })).toEqual(['now']);
    expect(await offer({ parallel_tool_calls: true })).toEqual(['now', 'weather']);
  });

  it('are called one at a time where the client wants that', async () => {
    const { client, model } = await servedToOpenAi([asksFor('Oslo', 'Rome'), { text: 'A coat.' }]);
    const serial = { ...request, parallel_tool_calls: false };
    const first = await client.chat.completions.create(serial);
    expect(first.choices[0]?.message.tool_calls).toHaveLength(1);
    await client.chat.completions.create({ ...serial, messages: answered(question, first, 'rain') });
    expect(shownResults(model, 1)).toEqual([
      'rain',
      expect.stringContaining('one call of its tools at a time'),
    ]);
  });

  it('are streamed as OpenAI streams them', async () => {
    const { client } = await servedToOpenAi([
      { text: 'I look.', ...asksFor('Oslo', 'Rome') },
      { text: 'A coat.' },
    ]);
    const streamed = { ...request, stream: true as const, stream_options: { include_usage: true } };
    const chunks = await Array.fromAsync(await client.chat.completions.create(streamed));
    const deltas = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    const { id } = chunks[0] ?? { id: '' };
    expect(deltas).toEqual([
      { index: 0, id: `call_${id}_c2`, type: 'function', function: { name: 'weather', arguments: '' } },
      { index: 0, function: { arguments: '{"city":"Oslo"}' } },
      { index: 1, id: `call_${id}_c3`, type: 'function', function: { name: 'weather', arguments: '' } },
      { index: 1, function: { arguments: '{"city":"Rome"}' } },
    ]);
    expect(chunks.at(-2)?.choices).toMatchObject([{ delta: {}, finish_reason: 'tool_calls' }]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: expect.any(Number) } });

    const helper = client.chat.completions.stream({
      ...request,
      messages: [
        ...question,
        {
          role: 'assistant',
          tool_calls: [2, 3].map((n) => ({
            id: `call_${id}_c${n}`,
            type: 'function' as const,
            function: { name: 'weather', arguments: '{}' },
          })),
        },
        { role: 'tool', tool_call_id: `call_${id}_c2`, content: 'rain' },
        { role: 'tool', tool_call_id: `call_${id}_c3`, content: 'sun' },
      ],
    });
    expect((await helper.finalMessage()).content).toBe('A coat.');
  });

  it('are performed by the SDK, round after round, streamed or not', async () => {
    for (const stream of [false, true]) {
      const { client, model, detent } = await servedToOpenAi([
        asksFor('Oslo', 'Rome'),
        asksFor('Bern'),
        { text: 'A coat.' },
      ]);
      const seen: string[] = [];
      const runner = client.chat.completions.runTools({
        model: 'default',
        messages: question,
        stream: stream as true,
        tools: [
          {
            type: 'function',
            function: {
              name: 'weather',
              description: 'now',
              parameters,
              parse: JSON.parse,
              function: ({ city }: { city: string }) => {
                seen.push(city);
                return `rain in ${city}`;
              },
            },
          },
        ],
      });
      expect(await runner.finalContent()).toBe('A coat.');
      expect(seen).toEqual(['Oslo', 'Rome', 'Bern']);
      expect(shownResults(model, 2)).toEqual(['rain in Oslo', 'rain in Rome', 'rain in Bern']);
      expect(await detent.runs.list()).toHaveLength(1);
    }
  });

  it('wait with a call that a person approves: the client gets its calls at once, and then waits for the person', async () => {
    const { first, send, detent } = await called(
      [{ toolCalls: [{ name: 'pay' }, ...asksFor('Oslo').toolCalls] }, { text: 'Paid.' }],
      { tools: { define: [tool('pay', { sideEffect: 'unsafe' })] } },
    );
    const answer = send(answered(question, first, 'rain'));
    for await (const { event } of detent.runs.subscribe(first.id))
      if (event === 'tool.client_resolved') break;
    await detent.runs.confirm(first.id, 'c2', { verdict: 'approve' });
    expect(said(await answer)).toBe('Paid.');
  });
});

describe('results that a client sends', () => {
  it('count once: repeated, also at the same time, they give the same answer', async () => {
    const { first, send, model } = await called();
    const messages = answered(question, first, 'rain', 'sun');
    const answers = await Promise.all([send(messages), send(messages), send(messages)]);
    answers.push(await send(messages));
    expect(answers.map(({ id, choices }) => [id, choices[0]?.message.content])).toEqual(
      Array(4).fill([`${first.id}-2`, 'A coat.']),
    );
    expect(model.requests).toHaveLength(2);
  });

  it('of an earlier round give the calls of the next one again, however far the run is', async () => {
    const { first, send, model } = await called([asksFor('Oslo'), asksFor('Rome'), { text: 'A coat.' }]);
    const one = answered(question, first, 'rain');
    const second = await send(one);
    const two = answered(one, second, 'sun');
    expect(said(await send(two))).toBe('A coat.');
    expect((await send(one)).choices).toEqual(second.choices);
    expect(model.requests).toHaveLength(3);
    expect(shownResults(model, 2)).toEqual(['rain', 'sun']);
  });

  it('must be there for all calls, and for no others', async () => {
    const { first, send, detent } = await called();
    const [own, assistant, rain, sun] = answered(question, first, 'rain', 'sun') as [
      Message,
      Message,
      Message,
      Message,
    ];
    const other = (id: string): Message => ({ role: 'tool', tool_call_id: id, content: 'snow' });
    const wrong: [Message[], string][] = [
      [[own, assistant, rain], `call_${first.id}_c3" has no result`],
      [[own, assistant], 'last message must be one of the user'],
      [[own, rain], `call_${first.id}_c3 (weather) has no result`],
      [[own, assistant, rain, { role: 'user', content: 'And?' }], `call_${first.id}_c3" has no result`],
      [[own, assistant, rain, sun, other('call_elsewhere')], 'no such call before it'],
      [[own, other(`call_${first.id}_c9`)], `has no call call_${first.id}_c9`],
      [[own, other('')], 'no such call before it'],
    ];
    for (const [messages, message] of wrong)
      expect(await refused(send(messages)), message).toMatchObject({
        status: 400,
        code: 'INVALID_REQUEST',
        message: expect.stringContaining(message),
      });
    expect(await refused(send([own, other('call_run_0000000000000000_c2')]))).toMatchObject({ status: 404 });
    expect((await detent.runs.show(first.id)).pending).toHaveLength(2);
    expect(said(await send([own, assistant, sun, rain]))).toBe('A coat.');
  });

  it('are texts, in one part or several', async () => {
    const { first, send, model } = await called([asksFor('Oslo'), { text: 'A coat.' }]);
    const [own, assistant, result] = answered(question, first, '') as [Message, Message, Message];
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const url = `data:image/png;base64,${png}`;
    for (const content of [7, { a: 1 }, [{ type: 'image_url', image_url: { url } }]])
      expect(await refused(send([own, assistant, { ...result, content } as never]))).toMatchObject({
        status: 400,
      });
    const parts = [
      { type: 'text', text: 'it' },
      { type: 'text', text: 'rains' },
    ];
    const answer = await send([own, assistant, { ...result, content: parts } as never]);
    expect(said(answer)).toBe('A coat.');
    expect(shownResults(model, 1)).toEqual(['it\nrains']);
  });

  it('may be large, and so may arguments', async () => {
    const long = 'x'.repeat(600_000);
    const { client, model } = await servedToOpenAi([
      { toolCalls: [{ name: 'weather', arguments: { city: long } }] },
      { text: 'Long.' },
    ]);
    const stream = client.chat.completions.stream(request);
    const first = await stream.finalChatCompletion();
    const [made] = first.choices[0]?.message.tool_calls ?? [];
    expect(JSON.parse((made as { function: { arguments: string } }).function.arguments)).toEqual({
      city: long,
    });
    const messages = answered(question, first as never, 'y'.repeat(3_000_000));
    const second = await client.chat.completions.create({ ...request, messages });
    expect(said(second)).toBe('Long.');
    expect(shownResults(model, 1)?.[0]).toContain('3000000 characters, is kept as artifact');
  });

  it('may be longer than a prompt, which a conversation that begins a run may not', async () => {
    const { first, send, model } = await called([asksFor('Oslo'), { text: 'Long.' }]);
    const messages = answered(question, first, 'x\n'.repeat(1_500_000));
    expect(await refused(send([...messages, { role: 'user', content: 'And?' }]))).toMatchObject({
      status: 413,
      code: 'PROMPT_TOO_LARGE',
    });
    expect(said(await send(messages))).toBe('Long.');
    expect(model.requests).toHaveLength(2);
  });

  it('are given by the user whose run it is', async () => {
    const { clientWith, token, detent } = await servedToOpenAi([asksFor('Oslo'), { text: 'A coat.' }]);
    const anna = clientWith(await token({ userId: 'anna' }));
    const eve = clientWith(await token({ userId: 'eve' }));
    const reader = clientWith(await token({ userId: 'anna', scopes: ['read'] }));
    const first = await anna.chat.completions.create(request);
    const next = { ...request, messages: answered(question, first, 'rain') };
    expect(await refused(eve.chat.completions.create(next))).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    });
    expect(await refused(reader.chat.completions.create(next))).toMatchObject({ status: 403 });
    expect((await detent.runs.show(first.id)).pending).toHaveLength(1);
    expect(said(await anna.chat.completions.create(next))).toBe('A coat.');
  });

  it('come too late when the call was closed, or another result was given', async () => {
    const { first, send, detent, http } = await called();
    const path = `/api/v1/runs/${first.id}/results/c2`;
    const given = await http(path, { method: 'POST', body: { result: 'snow' } });
    expect(given).toMatchObject({ status: 200, body: { applied: true, verdict: 'result' } });
    const messages = answered(question, first, 'rain', 'sun');
    const late = { status: 409, code: 'RESULT_NOT_TAKEN' };
    expect(await refused(send(messages))).toMatchObject({
      ...late,
      message: expect.stringContaining('another result of it came first'),
    });
    expect((await detent.runs.show(first.id)).pending).toMatchObject([{ callId: 'c3' }]);
    await http(`/api/v1/runs/${first.id}/results/c3`, { method: 'POST', body: { reason: 'gone' } });
    expect(await refused(send(answered(question, first, 'snow', 'sun')))).toMatchObject({
      ...late,
      message: expect.stringContaining('closed without a result (reject)'),
    });

    const other = await called([asksFor('Oslo')]);
    await other.detent.runs.cancel(other.first.id);
    expect(await refused(other.send(answered(question, other.first, 'rain')))).toMatchObject(late);
  });

  it('reach a run that waited while the gateway was started anew', async () => {
    const workspace = await temporaryWorkspace();
    const file = { workspace, store: undefined } as unknown as DetentOptions;
    const before = await called([asksFor('Oslo', 'Rome')], file);
    await before.gateway.close();
    await before.detent.close();
    const { client, model, detent } = await servedToOpenAi([{ text: 'A coat.' }], file);
    const messages = answered(question, before.first, 'rain', 'sun');
    const answer = await client.chat.completions.create({ ...request, messages });
    expect([answer.id, said(answer)]).toEqual([`${before.first.id}-2`, 'A coat.']);
    expect(shownResults(model, 0)).toEqual(['rain', 'sun']);
    expect(await detent.runs.list()).toHaveLength(1);
  });
});

describe('a run of a session that waits for its client', () => {
  it('goes on with the results, and ends when the user says more', async () => {
    const { client, model, detent } = await servedToOpenAi([
      asksFor('Oslo'),
      { text: 'A coat.' },
      asksFor('Rome'),
      { text: 'A shirt.' },
    ]);
    const send = (messages: readonly Message[]) =>
      client.chat.completions.create({ ...request, user: 'anna', messages: [...messages] });
    const first = await send(question);
    const messages = answered(question, first, 'rain');
    const coat = await send(messages);
    expect(said(coat)).toBe('A coat.');
    const next: Message[] = [
      ...messages,
      { role: 'assistant', content: 'A coat.' },
      { role: 'user', content: 'And in Rome?' },
    ];
    const third = await send(next);
    const last = await send([...answered(next, third, 'sun'), { role: 'user', content: 'In one word.' }]);
    expect(said(last)).toBe('A shirt.');
    const runs = await detent.runs.list({ sessionId: 'anna' });
    expect(runs.map(({ status }) => status)).toEqual(['done', 'cancelled', 'done']);
    expect(model.requests[3]?.messages.at(-1)?.text).toBe(`The conversation so far:

Assistant:
  (calls weather with {"city":"Rome"})

Result of weather:
  sun

The user says now:

In one word.`);
  });

  it('keeps others of the session back, which say how to go on', async () => {
    const { client } = await servedToOpenAi(
      [asksFor('Oslo')],
      {},
      { limits: { personMs: 20, drainMs: 500 } },
    );
    const asked = { ...request, user: 'anna' };
    const first = await client.chat.completions.create(asked);
    const error = await refused(client.chat.completions.create(asked));
    expect(error).toMatchObject({ status: 409, code: 'RUN_WAITS' });
    expect(error.message).toContain(
      `is queued behind run ${first.id} of its session, which waits for its client`,
    );
    expect(error.message).toContain(`POST /api/v1/runs/${first.id}/results/c2`);
    expect(error.message).toContain(`POST /api/v1/runs/${first.id}/cancel`);
  });
});

describe('a request that is not the continuation of the run that waits', () => {
  const behind = async (
    { client, first, model, detent }: ServedToOpenAi & { first: Awaited<ReturnType<typeof called>>['first'] },
    more: object,
    after: Message[] = [],
  ) => {
    const messages = [...answered(question, first, 'rain', 'sun'), ...after];
    const answer = await client.chat.completions.create({ ...request, messages, ...more });
    expect(answer.id).not.toContain(first.id);
    expect(await detent.runs.show(first.id)).toMatchObject({ status: 'cancelled' });
    return model.requests.at(-1)?.messages.at(-1)?.text;
  };

  it.each([
    ['other tools', { tools: [{ type: 'function', function: { name: 'now' } }] }],
    ['no tools', { tools: undefined }],
    ['no tools to choose from', { tool_choice: 'none' }],
    ['another agent', { model: 'brief' }],
  ])('for %s begins a run with the whole conversation, and ends the other one', async (_, more) => {
    const served = await called(undefined, { agents: { brief: { systemPrompt: 'Be brief.' } } });
    expect(await behind(served, more)).toBe(`The conversation so far:

User:
  What should I wear?

Assistant:
  (calls weather with {"city":"Oslo"})
  (calls weather with {"city":"Rome"})

Result of weather:
  rain

Result of weather:
  sun

Go on from the results of the last calls.`);
  });

  it('because the user says more has that behind the results', async () => {
    const text = await behind(await called(), {}, [{ role: 'user', content: 'In one word.' }]);
    expect(text).toContain('Result of weather:\n  sun\n\nThe user says now:\n\nIn one word.');
  });

  it('has calls of runs that are gone, or of another user, as history', async () => {
    const { client, first, send, detent, clientWith, token } = await called([
      asksFor('Oslo'),
      { text: 'A coat.' },
      { text: 'A shirt.' },
      { text: 'A hat.' },
      { text: 'Shoes.' },
    ]);
    const messages = answered(question, first, 'rain');
    await send(messages);
    const more: Message[] = [
      ...messages,
      { role: 'assistant', content: 'A coat.' },
      { role: 'user', content: 'And in Rome?' },
    ];
    const eve = clientWith(await token({ userId: 'eve' }));
    expect(said(await eve.chat.completions.create({ ...request, messages: more }))).toBe('A shirt.');
    const { sessionId } = await detent.runs.show(first.id);
    await detent.sessions.delete(sessionId);
    expect(said(await send(more))).toBe('A hat.');
    const behind: Message[] = [...messages, { role: 'user', content: 'In one word.' }];
    expect(said(await client.chat.completions.create({ ...request, messages: behind }))).toBe('Shoes.');
    expect(await refused(send(messages))).toMatchObject({ status: 404 });
  });

  it('with calls from elsewhere has them as history', async () => {
    const { client, model } = await servedToOpenAi([{ text: 'A coat.' }]);
    const history: Message[] = [
      ...question,
      {
        role: 'assistant',
        tool_calls: [{ id: 'abc', type: 'function', function: { name: 'weather', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'abc', content: 'rain' },
    ];
    expect(said(await client.chat.completions.create({ ...request, messages: history }))).toBe('A coat.');
    expect(model.requests[0]?.messages.at(-1)?.text).toMatch(/Result of weather:\n {2}rain\n\nGo on from/);
  });
});

describe('tools that a client cannot bring', () => {
  const named = { type: 'function', function: { name: 'weather' } };
  it.each([
    [
      'a name that is taken',
      { tools: [{ type: 'function', function: { name: 'read_file' } }] },
      'INVALID_CLIENT_TOOL',
    ],
    ['a name twice', { tools: [weather, weather] }, 'INVALID_CLIENT_TOOL'],
    ['no name', { tools: [{ type: 'function', function: {} }] }],
    ['no function', { tools: [{ type: 'function' }] }],
    ['a custom tool', { tools: [{ type: 'custom', custom: { name: 'a' } }] }],
    ['too many', { tools: Array(129).fill(weather) }],
    [
      'a schema of no object',
      { tools: [{ ...weather, function: { name: 'a', parameters: { type: 'array' } } }] },
      'INVALID_CLIENT_TOOL',
    ],
    ['a call that is required', { tools: [weather], tool_choice: 'required' }],
    ['a call of one tool', { tools: [weather], tool_choice: named }],
    [
      'a choice of no tool',
      {
        tools: [weather],
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'b' } }] },
        },
      },
    ],
    [
      'a required choice',
      {
        tools: [weather],
        tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [named] } },
      },
    ],
    ['an odd choice', { tools: [weather], tool_choice: 'maybe' }],
    ['odd parallel calls', { tools: [weather], parallel_tool_calls: 'yes' }],
  ])('%s', async (_, more, code = 'INVALID_REQUEST') => {
    const { client, model } = await servedToOpenAi([]);
    const asked = client.chat.completions.create({ ...request, ...more } as never);
    expect(await refused(asked)).toMatchObject({ status: 400, code });
    expect(model.requests).toHaveLength(0);
  });

  it.each<Record<string, string>>([{}, { 'idempotency-key': 'one' }])(
    'a schema deeper than what can be walked, with %j',
    async (headers) => {
      const { http, model } = await servedToOpenAi([]);
      for (const levels of [150, 5_000, 100_000]) {
        const schema = `${'{"type":"object","properties":{"a":'.repeat(levels)}{}${'}}'.repeat(levels)}`;
        const tools = `[{"type":"function","function":{"name":"a","parameters":${schema}}}]`;
        const body = `{"model":"default","messages":[{"role":"user","content":"hi"}],"tools":${tools}}`;
        const answer = await http('/v1/chat/completions', { method: 'POST', body, headers });
        expect([levels, answer.status]).toEqual([levels, 400]);
      }
      expect(model.requests).toHaveLength(0);
    },
  );
});
