import { describe, expect, it } from 'vitest';
import { tool } from '../../support/detent.ts';
import { refused, servedToOpenAi } from './support.ts';

describe('a response', () => {
  it('is the answer of a run, which can be read again', async () => {
    const { client, detent } = await servedToOpenAi([
      { text: 'Hi.', usage: { inputTokens: 4, outputTokens: 2 } },
    ]);
    const response = await client.responses.create({ model: 'default', input: 'hello' });
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'default',
      output_text: 'Hi.',
      usage: { input_tokens: 4, output_tokens: 2, total_tokens: 6 },
    });
    expect(await detent.runs.show(response.id)).toMatchObject({ status: 'done' });
    const read = await client.responses.retrieve(response.id);
    expect(read).toMatchObject({ status: 'completed', output: response.output });
    expect(await refused(client.responses.retrieve('run_none'))).toMatchObject({ status: 404 });
  });

  it('follows an earlier one in its session', async () => {
    const { client, model } = await servedToOpenAi([{ text: 'Hello.' }, { text: 'Anna.' }]);
    const first = await client.responses.create({ model: 'default', input: 'I am Anna.' });
    const second = await client.responses.create({
      model: 'default',
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'Who am I?' }] }],
      previous_response_id: first.id,
    });
    expect(second.conversation).toEqual(first.conversation);
    expect(model.requests[1]?.messages.slice(1).map(({ text }) => text)).toEqual([
      'I am Anna.',
      'Hello.',
      'Who am I?',
    ]);
  });

  it('branches when another one follows the same response', async () => {
    const { client, model } = await servedToOpenAi([
      { text: 'Hello.' },
      { text: 'Anna.' },
      { text: 'Eve.' },
      { text: 'Again.' },
    ]);
    const ask = (input: string, previous_response_id?: string) =>
      client.responses.create({
        model: 'default',
        input,
        ...(previous_response_id && { previous_response_id }),
      });
    const heard = (at: number) => model.requests[at]?.messages.slice(1).map(({ text }) => text);
    const first = await ask('I am Anna.');
    const left = await ask('Left?', first.id);
    const right = await ask('Right?', first.id);
    const after = await ask('More right?', right.id);
    expect(left.conversation).toEqual(first.conversation);
    expect(right.conversation).not.toEqual(first.conversation);
    expect(after.conversation).toEqual(right.conversation);
    expect(heard(1)).toEqual(['I am Anna.', 'Hello.', 'Left?']);
    expect(heard(2)).toEqual(['I am Anna.', 'Hello.', 'Right?']);
    expect(heard(3)).toEqual(['I am Anna.', 'Hello.', 'Right?', 'Eve.', 'More right?']);
  });

  it('is read again with what its request said', async () => {
    const { client } = await servedToOpenAi([{ text: 'Hello.' }, { output: { city: 'Oslo' } }]);
    const first = await client.responses.create({ model: 'default', input: 'I am Anna.' });
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const second = await client.responses.create({
      model: 'default',
      input: 'Where am I?',
      previous_response_id: first.id,
      metadata: { topic: 'places' },
      text: { format: { type: 'json_schema', name: 'place', schema } },
    });
    const read = await client.responses.retrieve(second.id);
    expect(read).toEqual(second);
    expect(read).toMatchObject({
      metadata: { topic: 'places' },
      previous_response_id: first.id,
      model: 'default',
      text: { format: { type: 'json_schema' } },
    });
    expect(read.completed_at).toBeGreaterThanOrEqual(read.created_at);
  });

  it('has only those of its own user before it', async () => {
    const { clientWith, token } = await servedToOpenAi([{ text: 'Hello.' }, { text: 'Anna.' }]);
    const anna = clientWith(await token({ userId: 'anna' }));
    const eve = clientWith(await token({ userId: 'eve' }));
    const first = await anna.responses.create({ model: 'default', input: 'I am Anna.' });
    const after = { model: 'default', input: 'Who am I?', previous_response_id: first.id };
    expect(await refused(eve.responses.create(after))).toMatchObject({ status: 404 });
    expect(await refused(eve.responses.retrieve(first.id))).toMatchObject({ status: 404 });
    expect((await anna.responses.create(after)).output_text).toBe('Anna.');
  });

  it('streams typed events with numbers, an item for each time the agent speaks', async () => {
    const { client } = await servedToOpenAi(
      [{ text: 'I look.', toolCalls: [{ name: 'look' }] }, { text: 'It rains.' }],
      { tools: { define: [tool('look')] } },
    );
    const events = await Array.fromAsync(
      await client.responses.create({ model: 'default', input: 'hi', stream: true }),
    );
    const item = ['output_item.added', 'content_part.added', 'output_text.delta', 'output_text.done'];
    const whole = [...item, 'content_part.done', 'output_item.done'];
    expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      ...whole,
      ...whole,
      'completed',
    ]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, i) => i));
    const last = events.at(-1);
    expect(last).toMatchObject({
      response: { status: 'completed', output: [{ phase: 'commentary' }, { phase: 'final_answer' }] },
    });
  });

  it('is put together by the SDK', async () => {
    const { client } = await servedToOpenAi([{ text: 'It rains.' }]);
    const stream = client.responses.stream({ model: 'default', input: 'Weather?' });
    expect((await stream.finalResponse()).output_text).toBe('It rains.');
  });

  it('fits the schema of its request', async () => {
    const { client } = await servedToOpenAi([{ output: { city: 'Oslo' } }]);
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const { output_text } = await client.responses.create({
      model: 'default',
      input: 'Where?',
      text: { format: { type: 'json_schema', name: 'place', schema } },
    });
    expect(JSON.parse(output_text)).toEqual({ city: 'Oslo' });
  });

  it('is read later when it is made in the background', async () => {
    const { client, detent } = await servedToOpenAi([{ text: 'Done.' }]);
    const begun = await client.responses.create({ model: 'default', input: 'go', background: true });
    expect(begun.status).toBe('queued');
    await detent.runs.attach(begun.id).result;
    expect(await client.responses.retrieve(begun.id)).toMatchObject({ output_text: 'Done.' });
  });

  it('ends as incomplete when a person does not decide in time', async () => {
    const { client } = await servedToOpenAi(
      [{ toolCalls: [{ name: 'pay' }] }],
      { tools: { define: [tool('pay', { sideEffect: 'unsafe' })] } },
      { limits: { personMs: 20, drainMs: 500 } },
    );
    const events = await Array.fromAsync(
      await client.responses.create({ model: 'default', input: 'hi', stream: true }),
    );
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { incomplete_details: { reason: 'waiting_for_person' }, error: { code: 'RUN_WAITS' } },
    });
  });
});
