/** A field of the configuration, as a new file introduces it. */
export interface IntroducedField {
  name: string;
  /** One line above it. */
  about: string;
  /** The fields below it, or an example. */
  value: readonly IntroducedField[] | ExampleValue;
  /** Whether it is in force; all others are there to be uncommented. */
  isLive?: boolean;
}

/** `code` is TypeScript as it stands, which only a `.ts` file can hold. */
export type ExampleValue = { example: unknown } | { code: string };

const limits: readonly IntroducedField[] = [
  { name: 'maxSteps', about: 'Answers of the model.', value: { example: 50 } },
  { name: 'maxTokens', about: 'Tokens in and out. Default: no limit.', value: { example: 200_000 } },
  { name: 'maxCostUsd', about: 'Money, in dollars. Default: no limit.', value: { example: 0.5 } },
  { name: 'maxRetries', about: 'Repeats of a failed model call.', value: { example: 3 } },
  {
    name: 'timeoutMs',
    about: 'Working time: 30 minutes. Waiting does not count.',
    value: { example: 1_800_000 },
  },
  { name: 'maxPromptBytes', about: 'Size of a prompt, in UTF-8.', value: { example: 1_000_000 } },
  { name: 'maxErrors', about: 'Steps in a row whose every call failed.', value: { example: 3 } },
  { name: 'maxRepeats', about: 'Times that the same call fails.', value: { example: 3 } },
  { name: 'parallelCalls', about: 'Read-only calls side by side.', value: { example: 4 } },
  {
    name: 'confirmExpiryMs',
    about: 'After 7 days an undecided call counts as rejected.',
    value: { example: 604_800_000 },
  },
  {
    name: 'reconcileExpiryMs',
    about: 'After 7 days the model is told that the outcome of a call is unknown.',
    value: { example: 604_800_000 },
  },
  {
    name: 'queueExpiryMs',
    about: 'After a day a run that is still queued fails.',
    value: { example: 86_400_000 },
  },
];

const provider: readonly IntroducedField[] = [
  {
    name: 'baseUrl',
    about: 'A server that speaks one of the protocols below.',
    value: { example: 'http://127.0.0.1:11434/v1' },
  },
  {
    name: 'api',
    about: 'chat or responses (both of OpenAI), or messages (Anthropic).',
    value: { example: 'chat' },
  },
  { name: 'apiKeyEnv', about: 'The variable that holds the key.', value: { example: 'LOCAL_API_KEY' } },
  { name: 'headers', about: 'Sent with every call.', value: { example: { 'x-team': 'shop' } } },
  {
    name: 'models',
    about: "By the provider's own name of a model; '*' stands for all others.",
    value: [
      {
        name: '*',
        about: 'Tokens that prompt and answer share, tokens of one answer, and dollars for a million tokens.',
        value: {
          example: {
            contextWindow: 32_768,
            maxOutputTokens: 4_096,
            price: { inputUsd: 0.5, cachedInputUsd: 0.1, outputUsd: 1.5 },
          },
        },
      },
    ],
  },
];

/** Every field that a configuration may have, in the order in which people look for them. */
export const introducedFields: readonly IntroducedField[] = [
  {
    name: 'model',
    about: 'provider/model. Default: the first provider whose key is set, else the built-in demo.',
    value: { example: 'openai/gpt-5-mini' },
  },
  {
    name: 'system',
    about: 'The system prompt.',
    value: {
      example: 'You are a helpful assistant. Look things up with your tools before you speak of them.',
    },
    isLive: true,
  },
  {
    name: 'models',
    about: 'Providers by name, besides the known ones.',
    value: [{ name: 'local', about: 'Its models are named local/MODEL.', value: provider }],
  },
  {
    name: 'tools',
    about: 'What the model can call.',
    value: [
      {
        name: 'define',
        about: 'Your own, made with defineTool; they join the built-in ones.',
        value: { code: '[weather]' },
        isLive: true,
      },
      {
        name: 'sets',
        about: 'Names for lists of tools; where tools are listed, @name stands for them.',
        value: { example: { look: ['read_file', 'list_files'] } },
      },
      {
        name: 'allowed',
        about: 'The only ones that runs may use. Default: all.',
        value: { example: ['read_file', 'calculator', 'datetime'] },
      },
      { name: 'disabled', about: 'Those that no run may use.', value: { example: ['edit_file'] } },
    ],
  },
  {
    name: 'agents',
    about: 'Named agents; what one leaves out is taken from the rest of this file.',
    value: [
      {
        name: 'brief',
        about: 'Its name.',
        value: [
          {
            name: 'systemPrompt',
            about: 'Its system prompt.',
            value: { example: 'Answer in one sentence.' },
          },
          { name: 'model', about: 'Its model.', value: { example: 'openai/gpt-5-nano' } },
          { name: 'tools', about: 'The only tools that it may use.', value: { example: ['calculator'] } },
          { name: 'limits', about: 'Its limits, by the names below.', value: { example: { maxSteps: 10 } } },
        ],
      },
    ],
  },
  {
    name: 'policy',
    about: 'When a person is asked.',
    value: [
      {
        name: 'approve',
        about: "Calls that need a person: 'ask', or 'all' are approved, or 'none' is.",
        value: { example: 'ask' },
      },
      {
        name: 'confirm',
        about: 'By tool, whether a person is asked, instead of what the tool itself says.',
        value: { example: { write_file: false } },
      },
    ],
  },
  { name: 'limits', about: 'Of one run. The numbers are the defaults, where there is one.', value: limits },
  {
    name: 'database',
    about: 'Where runs are kept.',
    value: [
      { name: 'file', about: 'From this folder on.', value: { example: '.detent/detent.db' } },
      {
        name: 'synchronous',
        about: "'NORMAL' is faster, and may lose the last commits when the power fails.",
        value: { example: 'FULL' },
      },
      {
        name: 'groupCommit',
        about: 'Whether commits that arrive together share a transaction.',
        value: { example: true },
      },
      {
        name: 'maxPages',
        about: 'Bound of the file, in pages of 4 KB. Default: none.',
        value: { example: 262_144 },
      },
    ],
  },
  {
    name: 'secrets',
    about: 'Further environment variables whose values must never be stored.',
    value: { example: ['SHOP_PIN'] },
  },
];
