import * as z from 'zod/mini';
import { field, group, objectOf } from './field.ts';
import { count, countOrNone, headers, positive, text, withMethod } from './values.ts';

/** One call passes over so many models at most. */
const maxFallbacks = 7;

export const modelName = text;
export const modelNames = z.array(modelName).check(z.maxLength(maxFallbacks));

export const model = field(modelName, {
  text: '`provider/model`, or a model that one provider below lists.',
  defaultText: 'the first provider whose key is set, else `demo/demo`',
  example: 'openai/gpt-5-mini',
});

export const fallbacks = field(modelNames, {
  text: '[Models](models.md#fallbacks) that answer where that one cannot, in this order.',
  default: [],
  example: ['openrouter/openai/gpt-5-mini'],
});

export const router = group('How models are tried.', {
  strategy: field(z.enum(['failover', 'roundRobin']), {
    text: '`failover`: models are tried as they are listed; `roundRobin`: each call begins with the next one.',
    default: 'failover',
  }),
  breaker: group('When a model that fails is left alone.', {
    failures: field(countOrNone, {
      text: 'Failures in a row after which a model is [left alone](models.md#circuit-breakers); 0: never.',
      default: 5,
    }),
    openMs: field(positive, { text: 'For how long it is left alone.', default: 30_000 }),
  }),
  clients: field(count, { text: 'Connections to providers that are kept ready.', default: 32 }),
  cache: group('Answers that are kept.', {
    ttlMs: field(z.number().check(z.gte(0)), {
      text: 'How long [answers are kept](models.md#kept-answers) for the same question; 0: not at all.',
      default: 0,
      example: 3_600_000,
    }),
  }),
});

/** What a model costs, for a million tokens. */
const price = z.strictObject({
  inputUsd: z.number().check(z.gte(0)),
  cachedInputUsd: z.optional(z.number().check(z.gte(0))),
  cacheWriteInputUsd: z.optional(z.number().check(z.gte(0))),
  outputUsd: z.number().check(z.gte(0)),
});

/** How a server differs from most; see `Quirks` of the chat-completions wire. */
const quirks = z.strictObject({
  maxTokensField: z.optional(z.enum(['max_tokens', 'max_completion_tokens'])),
  streamUsage: z.optional(z.boolean()),
  callIds: z.optional(z.enum(['any', 'max40', 'alphanumeric9'])),
  noText: z.optional(z.enum(['null', 'empty'])),
  reasoning: z.optional(z.enum(['never', 'withCalls', 'always'])),
  turns: z.optional(z.enum(['free', 'answered', 'alternating'])),
  systemRole: z.optional(z.enum(['system', 'developer', 'user'])),
  parallelCalls: z.optional(z.nullable(z.boolean())),
});

/** The wire refuses less than 1,024 tokens of thought. */
const thinking = z.union([
  z.literal('adaptive'),
  z.strictObject({ budgetTokens: z.number().check(z.int(), z.gte(1_024)) }),
]);

const modelFields = {
  contextWindow: field(count, {
    text: 'Tokens that prompt and answer share.',
    defaultText: 'known for some models, else 128,000',
    example: 32_768,
  }),
  maxOutputTokens: field(count, {
    text: 'Tokens of one answer.',
    defaultText: 'not sent',
    example: 4_096,
  }),
  price: field(price, {
    text: 'US dollars for a million tokens: `inputUsd`, `cachedInputUsd`, `cacheWriteInputUsd` and `outputUsd`.',
    defaultText: '[known](usage.md#prices) for many models, else none: `costUsd` is null',
    example: { inputUsd: 0.5, cachedInputUsd: 0.1, outputUsd: 1.5 },
  }),
  accepts: field(z.array(z.enum(['image', 'pdf'])), {
    text: 'What it takes [besides text](attachments.md#what-a-model-takes): a list of `image` and `pdf`, `[]` for nothing.',
    defaultText: 'known for many models, else all',
    example: ['image'],
  }),
  thinking: field(thinking, {
    text: '`adaptive`, or `{ budgetTokens: 4096 }`; protocol `messages` only.',
    defaultText: "the model's own way",
    example: 'adaptive',
  }),
  reasoningEffort: field(text, {
    text: '`low`, `medium`, `high`, or what else the provider knows; sent as `reasoning_effort`, `reasoning.effort` or `output_config.effort`.',
    defaultText: "the model's own",
    example: 'low',
  }),
};

const providerFields = {
  baseUrl: field(z.url(), {
    text: 'Where it answers, with one of the protocols below.',
    defaultText: 'that of the known provider of this name',
    example: 'http://127.0.0.1:11434/v1',
  }),
  api: field(z.enum(['chat', 'responses', 'messages']), {
    text: 'Its protocol: `chat` (OpenAI chat completions), `responses` (OpenAI Responses), `messages` (Anthropic messages).',
    defaultText: 'that of the known provider, else `chat`',
    example: 'chat',
  }),
  apiKeyEnv: field(text, {
    text: 'The variable that holds the key.',
    defaultText: 'that of the known provider, else no key',
    example: 'LOCAL_API_KEY',
  }),
  headers: field(headers, {
    text: 'Sent with every call.',
    default: {},
    example: { 'x-team': 'shop' },
  }),
  quirks: field(quirks, {
    text: 'Where its chat completions differ from most; see [providers](providers.md#quirks).',
    defaultText: 'what is known of the provider',
    example: { noText: 'empty', turns: 'alternating' },
  }),
  maxConcurrent: field(count, {
    text: '[Calls at once](models.md#limits-of-a-provider).',
    defaultText: 'no limit',
    example: 4,
  }),
  tokensPerMinute: field(count, {
    text: 'Tokens in and out of the calls that begin within a minute.',
    defaultText: 'no limit',
    example: 200_000,
  }),
  models: field(z.record(z.string(), objectOf(modelFields)), {
    text: "Its models, by the provider's own names; `*` stands for all others.",
    default: {},
    entry: { key: 'ID', exampleKey: '*', text: 'The name of a model, or `*`.', fields: modelFields },
  }),
};

export const models = field(
  z.record(z.string(), z.union([withMethod('generate', 'a ChatModel'), objectOf(providerFields)])),
  {
    text: '[Providers](#a-provider) by name, besides the known ones.',
    default: {},
    entry: {
      key: 'NAME',
      exampleKey: 'local',
      text: 'The name of a provider: its models are `local/MODEL`.',
      fields: providerFields,
    },
  },
);
