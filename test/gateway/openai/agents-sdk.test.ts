import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  Runner,
  setTracingDisabled,
  tool,
} from '@openai/agents';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { servedToOpenAi } from './support.ts';
import { asksFor, shownResults } from './tools-support.ts';

// Without a key of OpenAI nothing is sent, but not even an attempt belongs here.
beforeAll(() => setTracingDisabled(true));

const models = { chat: OpenAIChatCompletionsModel, responses: OpenAIResponsesModel };
const interfaces = Object.keys(models) as (keyof typeof models)[];
const both = interfaces.flatMap((api) => [false, true].map((stream) => [api, stream] as const));

/** An agent of `@openai/agents` whose model is an agent of ours. */
async function agentOn(api: keyof typeof models, script: readonly ScriptLine[]) {
  const served = await servedToOpenAi(script);
  const model = new models[api](served.client as never, 'default');
  const asked: string[] = [];
  const weather = tool({
    name: 'weather',
    description: 'Weather of a city now.',
    parameters: z.object({ city: z.string() }),
    execute: async ({ city }) => {
      asked.push(city);
      return `rain in ${city}`;
    },
  });
  const agent = new Agent({ name: 'Valet', instructions: 'You dress people.', tools: [weather], model });
  const runner = new Runner({ tracingDisabled: true });
  const run = async (stream: boolean, input: Parameters<typeof runner.run>[1], of: Agent = agent) => {
    if (!stream) return runner.run(of, input);
    const result = await runner.run(of, input, { stream: true });
    for await (const _ of result);
    await result.completed;
    return result;
  };
  return { ...served, agent, weather, openAiModel: model, asked, run };
}

describe('@openai/agents', () => {
  it.each(both)('performs its tools for a run of ours: %s, streamed %s', async (api, stream) => {
    const { run, asked, model, detent } = await agentOn(api, [
      { text: 'I look.', ...asksFor('Oslo', 'Rome') },
      asksFor('Bern'),
      { text: 'A coat.' },
    ]);
    const result = await run(stream, 'What should I wear?');
    expect(result.finalOutput).toBe('A coat.');
    expect(asked.sort()).toEqual(['Bern', 'Oslo', 'Rome']);
    expect(shownResults(model, 2)).toEqual(['rain in Oslo', 'rain in Rome', 'rain in Bern']);
    const runs = await detent.runs.list();
    expect(runs.map(({ status }) => status)).toEqual(['done']);
    expect(model.requests[0]?.messages.at(-1)?.text).toContain('You dress people.');
  });

  it.each(both)('talks on with the history of its own: %s, streamed %s', async (api, stream) => {
    const { run, model, detent } = await agentOn(api, [
      asksFor('Oslo'),
      { text: 'A coat.' },
      asksFor('Rome'),
      { text: 'A shirt.' },
    ]);
    const first = await run(stream, 'What should I wear?');
    const second = await run(stream, [...first.history, { role: 'user', content: 'And in Rome?' }]);
    expect(second.finalOutput).toBe('A shirt.');
    expect(model.requests[2]?.messages.at(-1)?.text).toMatch(
      /Result of weather:\n {2}rain in Oslo\n\nAssistant:\n {2}A coat\.[\s\S]*And in Rome\?$/,
    );
    expect((await detent.runs.list()).map(({ status }) => status)).toEqual(['done', 'done']);
  });

  it('goes on from a response by its id alone', async () => {
    const { agent, model } = await agentOn('responses', [
      asksFor('Oslo'),
      { text: 'A coat.' },
      { text: 'Yes.' },
    ]);
    const runner = new Runner({ tracingDisabled: true });
    const first = await runner.run(agent, 'What should I wear?');
    const second = await runner.run(agent, 'Sure?', { previousResponseId: first.lastResponseId ?? '' });
    expect(second.finalOutput).toBe('Yes.');
    const history = model.requests[2]?.messages.map(({ role }) => role);
    expect(history).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
  });

  it.each(interfaces)(
    'hands over to another of its agents, which has the conversation so far: %s',
    async (api) => {
      const { run, openAiModel, weather, model, detent } = await agentOn(api, [
        { toolCalls: [{ name: 'transfer_to_Tailor', arguments: {} }] },
        asksFor('Oslo'),
        { text: 'A coat.' },
      ]);
      const tailor = new Agent({
        name: 'Tailor',
        instructions: 'You sew.',
        tools: [weather],
        model: openAiModel,
      });
      const triage = new Agent({ name: 'Triage', handoffs: [tailor], model: openAiModel });
      const result = await run(false, 'What should I wear?', triage as never);
      expect(result.finalOutput).toBe('A coat.');
      const told = model.requests[1]?.messages.at(-1)?.text;
      expect(told).toContain('You sew.');
      expect(told).toContain('Result of transfer_to_Tailor');
      expect((await detent.runs.list()).map(({ status }) => status).sort()).toEqual(['cancelled', 'done']);
    },
  );

  it.each(interfaces)('gets an output of its schema: %s', async (api) => {
    const { run, openAiModel, weather } = await agentOn(api, [asksFor('Oslo'), { output: { wear: 'coat' } }]);
    const outputType = z.object({ wear: z.string() });
    const typed = new Agent({ name: 'Typed', tools: [weather], outputType, model: openAiModel });
    expect((await run(false, 'What?', typed as never)).finalOutput).toEqual({ wear: 'coat' });
  });

  it.each(interfaces)('tells the model when its tool fails: %s', async (api) => {
    const { run, openAiModel, model } = await agentOn(api, [
      { toolCalls: [{ name: 'broken', arguments: {} }] },
      { text: 'Sorry.' },
    ]);
    const broken = tool({
      name: 'broken',
      description: 'fails',
      parameters: z.object({}),
      execute: async () => {
        throw new Error('no wind vane');
      },
    });
    const agent = new Agent({ name: 'Valet', tools: [broken], model: openAiModel });
    expect((await run(false, 'What?', agent as never)).finalOutput).toBe('Sorry.');
    expect(shownResults(model, 1)).toEqual([
      expect.stringContaining('An error occurred while running the tool'),
    ]);
  });
});
