// The OpenAI Agents SDK over OpenAI's client; it keeps nothing. Its traces would go to a server.
import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool as toolOf } from '@openai/agents';
import { OpenAI } from 'openai';
import { z } from 'zod';

export function open({ url, model, system, prompt, tool, lookup }) {
  setTracingDisabled(true);
  const agent = new Agent({
    name: 'bench',
    instructions: system,
    model: new OpenAIChatCompletionsModel(new OpenAI({ apiKey: 'x', baseURL: url }), model),
    tools: [
      toolOf({
        ...tool,
        parameters: z.object({ step: z.number() }),
        execute: async ({ step }) => lookup(step),
      }),
    ],
  });
  return {
    async run() {
      const result = await run(agent, prompt, { stream: true, maxTurns: 50 });
      for await (const _ of result) {
        // The events are what a watcher would read.
      }
      await result.completed;
      return result.finalOutput;
    },
  };
}
