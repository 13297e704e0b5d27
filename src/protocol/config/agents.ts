import * as z from 'zod/mini';
import { budgetPeriods, defaults } from '../enums.ts';
import { isObject } from '../json.ts';
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
    text: 'Models to try, in this order, when that one fails; `[]` for none.',
    defaultText: '`fallbacks`',
    example: ['openai/gpt-5-mini'],
  }),
  tools: field(texts, {
    text: 'The only tools this agent may use, out of `tools.allowed`. A request can shorten the list, not extend it.',
    defaultText: 'all allowed ones',
    example: ['calculator'],
  }),
  skills: field(texts, {
    text: 'The only [skills](skills.md) this agent may use; `[]` for none.',
    defaultText: 'all allowed ones',
    example: ['code-review'],
  }),
  limits: field(limits.schema, {
    text: 'Limits of its runs. Each field that is left out comes from `limits`.',
    defaultText: '`limits`',
    example: { maxSteps: 10 },
  }),
  context: field(context.schema, {
    text: 'Pruning and compaction of its conversations. Each field that is left out comes from `context`.',
    defaultText: '`context`',
    example: { compactAt: 0.7 },
  }),
  output: field(z.custom<object>(isObject, 'expected a JSON Schema, or a zod schema'), {
    text: 'The [output schema](structured-output.md) of its runs: JSON Schema, in TypeScript also a zod schema.',
    defaultText: 'none: answers are text',
    example: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  }),
  budget: field(text, {
    text: 'The [shared budget](#budgets) that its runs use.',
    defaultText: 'none',
    example: 'team',
  }),
};

export const agent = objectOf(agentFields);

export const agents = field(z.record(name, agent), {
  text: 'Named [agents](#agents). A field that an agent leaves out comes from the top level of the configuration.',
  default: {},
  entry: { key: 'NAME', exampleKey: 'brief', text: 'The name of an agent.', fields: agentFields },
});

/** Texts by the tags of their languages: `en`, `zh`, `zh-Hant`. */
const inLanguages = z.record(z.string().check(z.regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]+)*$/)), text);

const budgetFields = {
  maxTokens: field(count, {
    text: 'Maximum of input and output tokens, over all runs that share it.',
    defaultText: 'no limit',
    example: 1_000_000,
  }),
  maxCostUsd: field(positive, {
    text: 'Maximum cost in US dollars; every model of a run needs a price.',
    defaultText: 'no limit',
    example: 5,
  }),
  per: field(z.enum(budgetPeriods), {
    text: '`day` or `month`: when the budget resets (UTC).',
    defaultText: 'never',
    example: 'day',
  }),
  each: field(z.enum(['user']), {
    text: '`user`: [each user](usage.md#budgets-of-users) may spend the maximum.',
    defaultText: 'all runs that name it spend from one sum',
    example: 'user',
  }),
  all: field(z.strictObject({ maxTokens: z.optional(count), maxCostUsd: z.optional(positive) }), {
    text: 'With `each`: the maximum of all users together, `maxTokens`, `maxCostUsd` or both.',
    defaultText: 'no limit',
    example: { maxTokens: 20_000_000 },
  }),
  sentence: field(z.union([inLanguages, text]), {
    text: 'With `each`: what the assistant answers a user who is over it; one text, or [one for each language](usage.md#budgets-of-users).',
    default: defaults.budgetSentence,
    example: 'That was a lot for one day. We are happy to go on tomorrow.',
  }),
};

export const budget = objectOf(budgetFields);

export const budgets = field(z.record(name, budget), {
  text: '[Budgets](#budgets) that runs share, by name: `detent run --budget team`.',
  default: {},
  entry: { key: 'NAME', exampleKey: 'team', text: 'The name of a budget.', fields: budgetFields },
});
