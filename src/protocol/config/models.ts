import * as z from 'zod/mini';
import { defaults, modelApis } from '../enums.ts';
import { isObject } from '../json.ts';
import { field, group, objectOf } from './field.ts';
import { count, countOrNone, headers, positive, text, withMethod } from './values.ts';

/** Upper bound of the models that one call tries after the first. */
const maxFallbacks = 7;

export const modelName = text;
export const modelNames = z.array(modelName).check(z.maxLength(maxFallbacks));

export const model = field(modelName, {
  text: '`provider/model`, or the name of a model that exactly one provider in `models` lists.',
  defaultText: 'the first provider whose key is set, else `demo/demo`',
  example: 'openai/gpt-5-mini',
});

export const fallbacks = field(modelNames, {
  text: '[Models](models.md#fallbacks) to try, in this order, when that one fails.',
  default: [],
  example: ['openrouter/openai/gpt-5-mini'],
});

export const router = group('How a model is chosen for each call.', {
  strategy: field(z.enum(['failover', 'roundRobin']), {
    text: '`failover`: every call starts with the first model; `roundRobin`: each call starts with the next one.',
    default: 'failover',
  }),
  breaker: group('The circuit breaker of each model.', {
    failures: field(countOrNone, {
      text: 'Consecutive failures that open the [circuit breaker](models.md#circuit-breakers) of a model; 0: never.',
      default: defaults.router.breaker.failures,
    }),
    openMs: field(positive, {
      text: 'How long the circuit breaker stays open: the model gets no calls.',
      default: defaults.router.breaker.openMs,
    }),
  }),
  clients: field(count, { text: 'Maximum of provider clients kept open.', default: defaults.router.clients }),
  cache: group('The cache of model answers.', {
    ttlMs: field(z.number().check(z.gte(0)), {
      text: 'How long an [answer is cached](models.md#cached-answers) for the same request; 0: not at all.',
      default: 0,
      example: 3_600_000,
    }),
  }),
});

/** Prices of a model, per million tokens. */
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
  output: z.optional(z.enum(['enforced', 'schema', 'object', 'none'])),
  outputWithTools: z.optional(z.boolean()),
});

/** The Anthropic API refuses less than 1,024 tokens of thinking. */
const thinking = z.union([
  z.literal('adaptive'),
  z.strictObject({ budgetTokens: z.number().check(z.int(), z.gte(1_024)) }),
]);

const modelFields = {
  contextWindow: field(count, {
    text: 'The context window: tokens of prompt and answer together.',
    defaultText: 'known for some models, else 128,000',
    example: 32_768,
  }),
  maxOutputTokens: field(count, {
    text: 'Maximum tokens of one answer.',
    defaultText: 'not sent',
    example: 4_096,
  }),
  price: field(price, {
    text: 'US dollars per million tokens: `inputUsd`, `cachedInputUsd`, `cacheWriteInputUsd` and `outputUsd`.',
    defaultText: '[known](usage.md#prices) for many models, else none: `costUsd` is null',
    example: { inputUsd: 0.5, cachedInputUsd: 0.1, outputUsd: 1.5 },
  }),
  accepts: field(z.array(z.enum(['image', 'pdf'])), {
    text: 'What it accepts [besides text](attachments.md#what-a-model-accepts): a list of `image` and `pdf`, `[]` for nothing.',
    defaultText: 'known for many models, else all',
    example: ['image'],
  }),
  thinking: field(thinking, {
    text: '`adaptive`, or `{ budgetTokens: 4096 }`; protocol `messages` only.',
    defaultText: "the model's default",
    example: 'adaptive',
  }),
  reasoningEffort: field(text, {
    text: '`low`, `medium`, `high`, or another value that the provider knows; sent as `reasoning_effort`, `reasoning.effort` or `output_config.effort`.',
    defaultText: "the model's default",
    example: 'low',
  }),
};

/** Of a client of the `openai` package, what Detent calls. */
function isOpenAIClient(value: unknown): boolean {
  const has = (part: unknown): boolean => isObject(part) && typeof part.create === 'function';
  return isObject(value) && isObject(value.chat) && has(value.chat.completions) && has(value.responses);
}

const providerFields = {
  baseUrl: field(z.url(), {
    text: 'The base URL of its API.',
    defaultText: 'the one of the known provider of this name',
    example: 'http://127.0.0.1:11434/v1',
  }),
  api: field(z.enum(modelApis), {
    text: 'Its API: `chat` (OpenAI chat completions), `responses` (OpenAI Responses), `messages` (Anthropic messages).',
    defaultText: 'the one of the known provider, else `chat`',
    example: 'chat',
  }),
  apiKeyEnv: field(text, {
    text: 'The environment variable that holds the API key.',
    defaultText: 'the one of the known provider, else no key',
    example: 'LOCAL_API_KEY',
  }),
  headers: field(headers, {
    text: 'HTTP headers sent with every call.',
    default: {},
    example: { 'x-team': 'shop' },
  }),
  quirks: field(quirks, {
    text: 'How its chat completions differ from the usual; see [providers](providers.md#quirks).',
    defaultText: 'what is known of the provider',
    example: { noText: 'empty', turns: 'alternating' },
  }),
  maxConcurrent: field(count, {
    text: 'Maximum of [concurrent calls](models.md#limits-of-a-provider).',
    defaultText: 'no limit',
    example: 4,
  }),
  tokensPerMinute: field(count, {
    text: 'Maximum of input and output tokens of the calls that start within a minute.',
    defaultText: 'no limit',
    example: 200_000,
  }),
  stallTimeoutMs: field(positive, {
    text: 'Longest silence inside a streamed answer. Then the answer [has broken off](models.md#broken-answers).',
    default: 120_000,
    example: 30_000,
  }),
  store: field(z.boolean(), {
    text: 'Whether the server of the `responses` API [keeps the answers](providers.md#what-the-server-stores), for shorter requests.',
    default: false,
    example: true,
  }),
  fetch: field(
    z.custom((value) => typeof value === 'function', 'expected a function'),
    {
      text: '[A function](embedding.md#models) that sends its requests, as the `fetch` of Node does. Only a program can set it.',
      defaultText: "Detent's own",
      code: '(url, init) => fetch(url, init)',
    },
  ),
  client: field(z.custom(isOpenAIClient, 'expected a client of the openai package'), {
    text: 'A client of the `openai` package that [makes its calls](embedding.md#models). Only a program can set it.',
    defaultText: 'none',
    code: 'undefined /* new OpenAI() */',
  }),
  models: field(z.record(z.string(), objectOf(modelFields)), {
    text: "Its models, by the provider's own names; `*` means all others.",
    default: {},
    entry: { key: 'ID', exampleKey: '*', text: 'The name of a model, or `*`.', fields: modelFields },
  }),
};

export const models = field(
  z.record(z.string(), z.union([withMethod('generate', 'a ChatModel'), objectOf(providerFields)])),
  {
    text: '[Providers](#a-provider) by name, in addition to the known ones.',
    default: {},
    entry: {
      key: 'NAME',
      exampleKey: 'local',
      text: 'The name of a provider: its models are `local/MODEL`.',
      fields: providerFields,
    },
  },
);
