import * as z from 'zod/mini';
import { context } from './context.ts';
import { field, objectOf } from './field.ts';
import { limits } from './limits.ts';
import { modelName, modelNames } from './models.ts';
import { count, name, positive, text, texts } from './values.ts';

const agentFields = {
  systemPrompt: field(z.string(), {
    text: 'The system prompt.',
    defaultText: '`system`',
    example: 'Answer in one sentence.',
  }),
  model: field(modelName, { text: 'The model.', defaultText: '`model`', example: 'openai/gpt-5-nano' }),
  fallbacks: field(modelNames, {
    text: 'Models that answer where that one cannot; `[]` for none.',
    defaultText: '`fallbacks`',
    example: ['openai/gpt-5-mini'],
  }),
  tools: field(texts, {
    text: 'The only tools of this agent, within `tools.allowed`; a request can narrow them, never widen them.',
    defaultText: 'all that are allowed',
    example: ['calculator'],
  }),
  skills: field(texts, {
    text: 'The only [skills](skills.md) of this agent; `[]` for none.',
    defaultText: 'all that are allowed',
    example: ['code-review'],
  }),
  limits: field(limits.schema, {
    text: 'Limits of its runs, each by itself.',
    defaultText: '`limits`',
    example: { maxSteps: 10 },
  }),
  context: field(context.schema, {
    text: 'How its conversations are kept small, each field by itself.',
    defaultText: '`context`',
    example: { compactAt: 0.7 },
  }),
  budget: field(text, {
    text: 'The [shared budget](#budgets) that its runs use.',
    defaultText: 'none',
    example: 'team',
  }),
};

export const agent = objectOf(agentFields);

export const agents = field(z.record(name, agent), {
  text: 'Named [agents](#agents); what one leaves out is taken from the rest of this file.',
  default: {},
  entry: { key: 'NAME', exampleKey: 'brief', text: 'The name of an agent.', fields: agentFields },
});

const budgetFields = {
  maxTokens: field(count, {
    text: 'Tokens in and out, of all its runs.',
    defaultText: 'no limit',
    example: 1_000_000,
  }),
  maxCostUsd: field(positive, {
    text: 'US dollars; needs the price of every model of a run.',
    defaultText: 'no limit',
    example: 5,
  }),
  per: field(z.enum(['day', 'month']), {
    text: '`day` or `month`: it starts anew with each (UTC).',
    defaultText: 'never',
    example: 'day',
  }),
};

export const budget = objectOf(budgetFields);

export const budgets = field(z.record(name, budget), {
  text: '[Budgets](#budgets) that runs share, by name: `detent run --budget team`.',
  default: {},
  entry: { key: 'NAME', exampleKey: 'team', text: 'The name of a budget.', fields: budgetFields },
});
