// The AI SDK's agent over its client of compatible servers; it keeps nothing.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { isStepCount, ToolLoopAgent, tool as toolOf } from 'ai';
import { z } from 'zod';

export function open({ url, model, system, prompt, tool, lookup }) {
  const provider = createOpenAICompatible({ name: 'mock', baseURL: url, apiKey: 'x', includeUsage: true });
  const agent = new ToolLoopAgent({
    model: provider(model),
    instructions: system,
    stopWhen: isStepCount(50),
    tools: {
      [tool.name]: toolOf({
        description: tool.description,
        inputSchema: z.object({ step: z.number() }),
        execute: async ({ step }) => lookup(step),
      }),
    },
  });
  return {
    async run() {
      const { textStream } = await agent.stream({ prompt });
      let text = '';
      for await (const piece of textStream) text += piece;
      return text;
    },
  };
}
