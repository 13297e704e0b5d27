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
    name: 'quirks',
    about: 'What the server takes otherwise than most; docs/providers.md has all.',
    value: { example: { noText: 'empty', turns: 'alternating' } },
  },
  { name: 'maxConcurrent', about: 'Calls at once. Default: no limit.', value: { example: 4 } },
  {
    name: 'tokensPerMinute',
    about: 'Tokens in and out of the calls of one minute. Default: no limit.',
    value: { example: 200_000 },
  },
  {
    name: 'models',
    about: "By the provider's own name of a model; '*' stands for all others.",
    value: [
      {
        name: '*',
        about:
          'Tokens that prompt and answer share, tokens of one answer, dollars for a million tokens, what it takes besides text.',
        value: {
          example: {
            contextWindow: 32_768,
            maxOutputTokens: 4_096,
            price: { inputUsd: 0.5, cachedInputUsd: 0.1, outputUsd: 1.5 },
            reasoningEffort: 'low',
            accepts: ['image'],
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
    name: 'fallbacks',
    about: 'Models that answer where that one cannot, in this order.',
    value: { example: ['openrouter/openai/gpt-5-mini'] },
  },
  {
    name: 'router',
    about: 'How models are tried.',
    value: [
      {
        name: 'strategy',
        about: "'failover' as they are listed, 'roundRobin' beginning with the next one each time.",
        value: { example: 'failover' },
      },
      {
        name: 'breaker',
        about:
          'After so many failures in a row a model is left alone for a while; 0 failures never does that.',
        value: { example: { failures: 5, openMs: 30_000 } },
      },
      { name: 'clients', about: 'Connections to providers that are kept ready.', value: { example: 32 } },
      {
        name: 'cache',
        about: 'How long an answer is kept for the same question, in milliseconds. Default: not at all.',
        value: { example: { ttlMs: 3_600_000 } },
      },
    ],
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
      {
        name: 'limits',
        about: 'By tool: calls at once, and repeats of an attempt that failed for the moment.',
        value: { example: { http_get: { maxConcurrent: 4, retries: 2 } } },
      },
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
          {
            name: 'fallbacks',
            about: 'Models that answer where that one cannot.',
            value: { example: ['openai/gpt-5-mini'] },
          },
          { name: 'tools', about: 'The only tools that it may use.', value: { example: ['calculator'] } },
          { name: 'skills', about: 'The only skills that it may use.', value: { example: ['code-review'] } },
          { name: 'limits', about: 'Its limits, by the names below.', value: { example: { maxSteps: 10 } } },
          {
            name: 'context',
            about: 'Its conversations, by the names below.',
            value: { example: { compactAt: 0.7 } },
          },
          { name: 'budget', about: 'The budget below that its runs share.', value: { example: 'team' } },
        ],
      },
    ],
  },
  {
    name: 'skills',
    about: 'Instructions for kinds of tasks; docs/skills.md says more.',
    value: [
      {
        name: 'folders',
        about: 'Further folders, besides skills, .agents/skills and .claude/skills.',
        value: { example: ['../team/skills'] },
      },
      { name: 'bundled', about: 'Whether those of Detent are there.', value: { example: true } },
      {
        name: 'allowed',
        about: 'The only ones that there are. Default: all.',
        value: { example: ['code-*'] },
      },
      { name: 'disabled', about: 'Those that there are not.', value: { example: ['shopping-assistant'] } },
      {
        name: 'approved',
        about: 'Hashes of those that may spare a person questions, as "detent skills show" prints them.',
        value: { example: [] },
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
      {
        name: 'taint',
        about:
          "Once untrusted text is in a conversation, calls that write or send are asked about; or 'off'.",
        value: { example: 'confirm' },
      },
      {
        name: 'untrusted',
        about: 'Files whose text is untrusted, besides what comes from the web and from MCP servers.',
        value: { example: ['inbox/**'] },
      },
    ],
  },
  {
    name: 'sandbox',
    about: "What the shell runs in: 'auto' or 'bubblewrap', or 'none': this machine, as it is.",
    value: { example: 'auto' },
  },
  {
    name: 'egress',
    about: 'Where http_get may go besides the public internet, and where it may not go.',
    value: [
      {
        name: 'allow',
        about: 'Hosts, addresses and networks that are not public.',
        value: { example: ['wiki.corp.example', '10.1.0.0/16'] },
      },
      {
        name: 'deny',
        about: 'They win over all that is allowed.',
        value: { example: ['*.internal.example'] },
      },
    ],
  },
  {
    name: 'mcp',
    about: 'Servers of tools (Model Context Protocol).',
    value: [
      {
        name: 'servers',
        about: 'By name: a command that is started, or an address.',
        value: {
          example: {
            files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] },
            wiki: { url: 'https://wiki.example/mcp', headers: { 'x-team': 'shop' } },
          },
        },
      },
      {
        name: 'project',
        about: 'Whether all servers of .mcp.json are used; it names programs that are run.',
        value: { example: false },
      },
      { name: 'allow', about: 'Those of .mcp.json that are.', value: { example: ['mail'] } },
    ],
  },
  { name: 'limits', about: 'Of one run. The numbers are the defaults, where there is one.', value: limits },
  {
    name: 'budgets',
    about: 'Budgets that runs share, by name: detent run --budget team.',
    value: [
      {
        name: 'team',
        about:
          "Tokens in and out, or money in dollars, of all its runs; 'day' or 'month' lets it start anew.",
        value: { example: { maxTokens: 1_000_000, maxCostUsd: 5, per: 'day' } },
      },
    ],
  },
  {
    name: 'memory',
    about: 'What is remembered between conversations; docs/memory.md.',
    value: [
      { name: 'recall', about: 'Whether a run begins with what fits its prompt.', value: { example: true } },
      {
        name: 'embeddings',
        about: 'A model of vectors, to search by meaning, too. Default: by words alone.',
        value: [
          {
            name: 'api',
            about: "'openai' (any server like it), 'ollama' or 'transformers'.",
            value: { example: 'ollama' },
          },
          { name: 'baseUrl', about: 'Where it is.', value: { example: 'http://127.0.0.1:11434' } },
          { name: 'model', about: 'Its name there.', value: { example: 'bge-m3' } },
          {
            name: 'apiKeyEnv',
            about: 'The variable that holds the key.',
            value: { example: 'EMBEDDINGS_API_KEY' },
          },
          {
            name: 'dimensions',
            about: 'Length of its vectors, if it can choose.',
            value: { example: 1_024 },
          },
          { name: 'queryPrefix', about: 'What it wants before a question.', value: { example: 'query: ' } },
          { name: 'documentPrefix', about: 'What it wants before a text.', value: { example: 'passage: ' } },
          { name: 'timeoutMs', about: 'For one request.', value: { example: 10_000 } },
          {
            name: 'pooling',
            about: "With 'transformers': 'mean', 'cls' or 'last_token'.",
            value: { example: 'mean' },
          },
          { name: 'dtype', about: "With 'transformers': of its numbers.", value: { example: 'q8' } },
          {
            name: 'download',
            about: "With 'transformers': whether the model may be fetched from the Hugging Face Hub.",
            value: { example: true },
          },
        ],
      },
    ],
  },
  {
    name: 'context',
    about:
      "How a conversation is kept within the model's window, in shares of it. The numbers are the defaults.",
    value: [
      { name: 'pruneAt', about: 'From here on old tool results are shortened.', value: { example: 0.6 } },
      { name: 'compactAt', about: 'From here on old messages are summarised.', value: { example: 0.8 } },
      {
        name: 'protectTokens',
        about: 'Newest tokens whose tool results stay whole. Default: as keepShare.',
        value: { example: 20_000 },
      },
      { name: 'keepShare', about: 'Newest messages that stay whole.', value: { example: 0.25 } },
    ],
  },
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
  {
    name: 'hooks',
    about: 'Your functions at fixed points of every run; docs/hooks.md has them all.',
    value: { code: "{ beforeTool: [({ tool }) => (tool === 'shell' ? { veto: 'not today' } : null)] }" },
  },
  {
    name: 'hookTimeoutMs',
    about: 'For one call of one hook; then what it was asked about is refused.',
    value: { example: 5_000 },
  },
  {
    name: 'log',
    about: 'One JSON object a line for what runs do: to stderr, or to a file.',
    value: [
      { name: 'level', about: "'silent', 'error', 'warn', 'info' or 'debug'.", value: { example: 'info' } },
      { name: 'file', about: 'From this folder on.', value: { example: '.detent/detent.log' } },
    ],
  },
];
