// pi's agent, which keeps its conversation in memory, over its client of chat completions.
import { Agent } from '@earendil-works/pi-agent-core';
import { Type } from '@earendil-works/pi-ai';
import * as completions from '@earendil-works/pi-ai/api/openai-completions';

export function open({ url, model: id, system, prompt, tool, lookup }) {
  const model = {
    id,
    name: id,
    api: 'openai-completions',
    provider: 'mock',
    baseUrl: url,
    reasoning: false,
    input: ['text'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 128_000,
    maxTokens: 4_096,
  };
  const tools = [
    {
      ...tool,
      label: 'Lookup',
      parameters: Type.Object({ step: Type.Number() }),
      execute: async (_, { step }) => ({ content: [{ type: 'text', text: lookup(step) }], details: {} }),
    },
  ];
  return {
    async run() {
      const agent = new Agent({
        initialState: { systemPrompt: system, model, tools, messages: [] },
        streamFn: completions.streamSimple ?? completions.streamSimpleOpenAICompletions,
        getApiKey: () => 'x',
      });
      let text = '';
      agent.subscribe(({ type, assistantMessageEvent: event }) => {
        if (type === 'message_update' && event.type === 'text_delta') text += event.delta;
      });
      await agent.prompt(prompt);
      if (agent.state.errorMessage) throw new Error(agent.state.errorMessage);
      return text;
    },
  };
}
