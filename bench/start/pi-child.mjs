// The same with pi, which keeps its conversation in memory.
import { Agent } from '@earendil-works/pi-agent-core';
import { Type } from '@earendil-works/pi-ai';
import * as completions from '@earendil-works/pi-ai/api/openai-completions';

const model = {
  id: 'mock-1',
  name: 'mock-1',
  api: 'openai-completions',
  provider: 'mock',
  baseUrl: process.env.BASE_URL,
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 128_000,
  maxTokens: 4_096,
};
const lookup = {
  name: 'lookup',
  label: 'Lookup',
  description: 'Looks a step up',
  parameters: Type.Object({ step: Type.Number() }),
  execute: async (_id, { step }) => ({ content: [{ type: 'text', text: `result ${step}` }], details: {} }),
};
const agent = new Agent({
  initialState: { systemPrompt: 'You are a bench agent.', model, tools: [lookup], messages: [] },
  streamFn: completions.streamSimple ?? completions.streamSimpleOpenAICompletions,
  getApiKey: () => 'x',
});
await agent.prompt('go');
if (agent.state.errorMessage) throw new Error(agent.state.errorMessage);
