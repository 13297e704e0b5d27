import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { modelOptions, scripted, tool, withModel } from '../support/detent.ts';

const city = z.object({ city: z.string(), celsius: z.number() });
const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, celsius: { type: 'number' } },
  required: ['city', 'celsius'],
};
const oslo = { city: 'Oslo', celsius: 12 };

describe('a run with an output schema', () => {
  it('has the answer as a typed value', async () => {
    const { detent, model } = await scripted([{ output: oslo }]);
    const result = await detent.run('Weather in Oslo?', { output: city }).result;
    expectTypeOf(result.output).toEqualTypeOf<{ city: string; celsius: number } | undefined>();
    expect(result).toMatchObject({ outcome: 'completed', output: oslo, text: JSON.stringify(oslo) });
    expect(model.requests[0]?.output?.schema).toMatchObject(schema);
  });

  it('takes a JSON Schema, too, whose output has no type', async () => {
    const { detent } = await scripted([{ output: oslo }]);
    const { output } = await detent.run('Weather in Oslo?', { output: schema }).result;
    expectTypeOf(output).toEqualTypeOf<unknown>();
    expect(output).toEqual(oslo);
  });

  it('shows the errors of an answer that does not fit to the model, and asks once more', async () => {
    const { detent, model } = await scripted([
      { output: { city: 'Oslo', celsius: 'warm' } },
      { output: oslo },
    ]);
    const view = await detent.run('?', { output: city }).result;
    expect(view).toMatchObject({ outcome: 'completed', output: oslo });
    expect(view.steps.map(({ unfit }) => unfit)).toEqual([expect.stringMatching(/^- celsius: /), undefined]);
    const last = model.requests[1]?.messages.at(-1);
    expect(last).toEqual({
      role: 'user',
      text: expect.stringMatching(/^\[Not from the user\] .* output schema:\n- celsius: .*\nAnswer again/),
    });
  });

  it('fails as invalid_output when the second answer does not fit either, and says why', async () => {
    const { detent } = await scripted([{ text: 'warm' }, { output: { city: 'Oslo' } }]);
    const view = await detent.run('?', { output: city }).result;
    expect(view).toMatchObject({
      status: 'failed',
      outcome: 'invalid_output',
      error: { code: 'INVALID_OUTPUT' },
    });
    expect('output' in view).toBe(false);
    const why = await detent.runs.why(view.runId);
    expect(why).toMatchObject({ cause: 'invalid_output' });
    expect(why.details.join('\n')).toMatch(/answer: "warm"\n- the answer is not JSON .*\n.*\n- celsius: /);
  });

  it('leaves no call for a correction behind for the next run of its session', async () => {
    const { detent, model } = await scripted([{ text: 'warm' }, { text: 'very' }, { text: 'hello' }]);
    await detent.run('?', { sessionId: 's', output: city }).result;
    await detent.run('thanks', { sessionId: 's' }).result;
    const words = model.requests[2]?.messages.map(({ text }) => text.split('\n')[0]);
    const note = expect.stringMatching(/^\[Not from the user\]/);
    expect(words?.slice(-5)).toEqual(['?', 'warm', note, 'very', 'thanks']);
  });

  it('is not answered from the cache with what did not fit before', async () => {
    const router = { cache: { ttlMs: 60_000 } };
    const { detent, model } = await scripted([{ text: 'warm' }, { output: oslo }, { output: oslo }], {
      router,
    });
    for (let i = 0; i < 3; i++) expect((await detent.run('?', { output: city }).result).output).toEqual(oslo);
    expect(model.requests.length).toBe(3);
  });

  it('calls tools before its answer, which alone must fit', async () => {
    const thermometer = tool('thermometer', { run: () => '12' });
    const script = [{ text: 'let me see', toolCalls: [{ name: 'thermometer' }] }, { output: oslo }];
    const { detent } = await scripted(script, { tools: { define: [thermometer] } });
    expect(await detent.run('?', { output: city }).result).toMatchObject({ output: oslo });
  });

  it('may be null', async () => {
    const { detent } = await scripted([{ text: 'null' }]);
    const view = await detent.run('?', { output: city.nullable() }).result;
    expect([view.outcome, view.output]).toEqual(['completed', null]);
  });
});

describe('zod schemas that transform', () => {
  const output = z.object({
    at: z.string().transform((text) => new Date(text)),
    unit: z.string().default('C'),
  });

  it('give the result what they make of the JSON; the JSON itself is stored', async () => {
    const { detent } = await scripted([{ output: { at: '2026-01-02T00:00:00Z' } }]);
    const result = await detent.run('?', { output }).result;
    expect(result.output).toEqual({ at: new Date('2026-01-02T00:00:00Z'), unit: 'C' });
    const stored = await detent.runs.show(result.runId);
    expect(stored.output).toEqual({ at: '2026-01-02T00:00:00Z' });
  });

  it('validate by what JSON Schema cannot say', async () => {
    const even = z.object({ n: z.number().refine((n) => n % 2 === 0, 'must be even') });
    const { detent, model } = await scripted([{ output: { n: 1 } }, { output: { n: 2 } }]);
    expect((await detent.run('?', { output: even }).result).output).toEqual({ n: 2 });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('must be even');
  });

  it('are not at hand after a restart: the JSON Schema decides then', async () => {
    const store = openInMemory();
    const even = z.object({ n: z.number().refine((n) => n % 2 === 0, 'must be even') });
    const ask = { name: 'pay', arguments: {} };
    const pay = tool('pay', { sideEffect: 'unsafe', run: () => 'paid' });
    const first = withModel(scriptedModel([{ toolCalls: [ask] }]), { store, tools: { define: [pay] } });
    const { runId, status } = await first.run('?', { output: even }).result;
    expect(status).toBe('waiting');
    await first.close();
    const second = withModel(scriptedModel([{ output: { n: 1 } }]), { store, tools: { define: [pay] } });
    await second.runs.resume();
    await second.runs.confirm(runId, 'c2', { verdict: 'approve' });
    expect((await second.runs.attach(runId).result).output).toEqual({ n: 1 });
  });
});

describe('an agent with an output schema', () => {
  it('gives its runs the schema, which a request can replace', async () => {
    const agents = { weather: { output: city } };
    const { detent } = await scripted([{ output: oslo }, { output: { n: 1 } }], { agents });
    expect((await detent.run('?', { agent: 'weather' }).result).output).toEqual(oslo);
    const other = z.object({ n: z.number() });
    expect((await detent.run('?', { agent: 'weather', output: other }).result).output).toEqual({ n: 1 });
  });

  it('gives the run of a task its schema, and the parent gets the JSON; the parent keeps its own', async () => {
    const agents = { weather: { output: city } };
    const task = { name: 'task', arguments: { prompt: 'Weather in Oslo?', agent: 'weather' } };
    const script = [
      { toolCalls: [task] },
      { text: 'Sure:\n```\n{"city":"Oslo","celsius":12}\n```' },
      { output: { n: 1 } },
    ];
    const { detent } = await scripted(script, { agents });
    const parent = z.object({ n: z.number() });
    const view = await detent.run('?', { output: parent }).result;
    expect(view.output).toEqual({ n: 1 });
    expect(view.steps[0]?.toolCalls[0]?.result).toBe(JSON.stringify(oslo));
  });

  it('keeps its schema to itself in a task that names no agent', async () => {
    const task = { name: 'task', arguments: { prompt: 'say hello' } };
    const { detent } = await scripted([{ toolCalls: [task] }, { text: 'hello' }, { output: oslo }]);
    const view = await detent.run('?', { output: city }).result;
    expect([view.output, view.steps[0]?.toolCalls[0]?.result]).toEqual([oslo, 'hello']);
  });
});

describe('an output schema is stored with its run', () => {
  it('a fork has it', async () => {
    const { detent } = await scripted([{ output: oslo }, { output: { ...oslo, celsius: 3 } }]);
    const { runId } = await detent.run('?', { output: city }).result;
    const fork = await detent.runs.fork(runId, { at: 1 });
    await detent.runs.resume({ runId: fork.runId });
    expect((await detent.runs.attach(fork.runId).result).output).toEqual({ ...oslo, celsius: 3 });
  });

  it.each([
    ['a sample instead of a schema', { city: 'Oslo' }],
    ['an unknown type', { type: 'objekt' }],
    ['a reference to nothing', { $ref: '#/$defs/x' }],
    ['a reference to itself', { $ref: '#' }],
    ['a bad pattern', { type: 'string', pattern: '(' }],
    ['a type that JSON does not have', z.object({ at: z.date() })],
    ['too many characters', { type: 'object', description: 'x'.repeat(70_000) }],
  ])('is refused at once: %s', async (_, output) => {
    const { detent } = await scripted([]);
    const run = detent.run('?', { output: output as Record<string, unknown> });
    await expect(run.started).rejects.toMatchObject({ code: 'INVALID_OUTPUT_SCHEMA' });
  });

  it('is refused in the configuration, too', () => {
    const options = modelOptions(scriptedModel([]), { agents: { weather: { output: { type: 'objekt' } } } });
    const run = withModel(scriptedModel([]), options).run('hello');
    return expect(run.started).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('agents.weather.output: output is not a usable schema: #/type'),
    });
  });
});
