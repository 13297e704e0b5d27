import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { DetentError } from './error.ts';

z.config(en());

const positive = z.number().check(z.gt(0));
const count = z.number().check(z.int(), z.gt(0));
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
const provider = z.strictObject({
  baseUrl: z.optional(z.url()),
  api: z.optional(z.enum(['chat', 'responses', 'messages'])),
  apiKeyEnv: z.optional(z.string().check(z.minLength(1))),
  headers: z.optional(z.record(z.string(), z.string())),
  quirks: z.optional(quirks),
  maxConcurrent: z.optional(count),
  tokensPerMinute: z.optional(count),
  models: z.optional(
    z.record(
      z.string(),
      z.strictObject({
        contextWindow: z.optional(count),
        maxOutputTokens: z.optional(count),
        price: z.optional(price),
        accepts: z.optional(z.array(z.enum(['image', 'pdf']))),
        thinking: z.optional(thinking),
        reasoningEffort: z.optional(z.string().check(z.minLength(1))),
      }),
    ),
  ),
});

const modelName = z.string().check(z.minLength(1));
/** One call passes over so many models at most. */
const fallbacks = z.array(modelName).check(z.maxLength(7));
/** Host names, addresses and networks; what they may look like is known where they are used. */
const hosts = z.array(z.string().check(z.minLength(1)));
const toolNames = z.array(z.string().check(z.minLength(1)));
const skillNames = z.array(z.string().check(z.minLength(1)));

/** A value that a program brings: checked for the one method that makes it what it is. */
const withMethod = (method: string, what: string) =>
  z.custom(
    (value) => typeof (value as Record<string, unknown> | null)?.[method] === 'function',
    `expected ${what}`,
  );

const limits = z.strictObject({
  maxSteps: z.optional(count),
  maxTokens: z.optional(count),
  maxCostUsd: z.optional(positive),
  maxRetries: z.optional(z.number().check(z.int(), z.gte(0))),
  timeoutMs: z.optional(positive),
  maxPromptBytes: z.optional(count),
  maxErrors: z.optional(count),
  maxRepeats: z.optional(count),
  parallelCalls: z.optional(count),
  confirmExpiryMs: z.optional(positive),
  reconcileExpiryMs: z.optional(positive),
  queueExpiryMs: z.optional(positive),
});
/** What is remembered between runs. */
const memory = z.strictObject({
  recall: z.optional(z.boolean()),
  embeddings: z.optional(
    z.strictObject({
      api: z.optional(z.enum(['openai', 'ollama', 'transformers'])),
      baseUrl: z.optional(z.string().check(z.minLength(1))),
      model: z.optional(z.string().check(z.minLength(1))),
      apiKeyEnv: z.optional(z.string().check(z.minLength(1))),
      dimensions: z.optional(count),
      queryPrefix: z.optional(z.string()),
      documentPrefix: z.optional(z.string()),
      timeoutMs: z.optional(positive),
      pooling: z.optional(z.enum(['mean', 'cls', 'last_token'])),
      dtype: z.optional(z.enum(['fp32', 'fp16', 'q8', 'int8', 'uint8', 'q4', 'q4f16', 'bnb4'])),
      download: z.optional(z.boolean()),
    }),
  ),
});
const share = (least: number, most: number) => z.number().check(z.gte(least), z.lte(most));
const context = z
  .strictObject({
    pruneAt: z.optional(share(0.1, 1)),
    compactAt: z.optional(share(0.3, 1)),
    protectTokens: z.optional(z.number().check(z.int(), z.gte(0))),
    keepShare: z.optional(share(0.05, 0.5)),
  })
  .check(
    z.refine(
      ({ pruneAt = 0, compactAt = 1 }) => pruneAt <= compactAt,
      'pruneAt must not be greater than compactAt: results are shortened before messages are summarised',
    ),
  );
const agent = z.strictObject({
  systemPrompt: z.optional(z.string()),
  model: z.optional(modelName),
  fallbacks: z.optional(fallbacks),
  tools: z.optional(toolNames),
  skills: z.optional(skillNames),
  limits: z.optional(limits),
  context: z.optional(context),
  budget: z.optional(z.string().check(z.minLength(1))),
});
/** Shared by all runs that name it. */
const budget = z.strictObject({
  maxTokens: z.optional(count),
  maxCostUsd: z.optional(positive),
  per: z.optional(z.enum(['day', 'month'])),
});
const router = z.strictObject({
  strategy: z.optional(z.enum(['failover', 'roundRobin'])),
  breaker: z.optional(
    z.strictObject({
      failures: z.optional(z.number().check(z.int(), z.gte(0))),
      openMs: z.optional(positive),
    }),
  ),
  clients: z.optional(count),
  cache: z.optional(z.strictObject({ ttlMs: z.optional(z.number().check(z.gte(0))) })),
});
/** A server of tools: a command that is started, or an address. */
const mcpServer = z
  .strictObject({
    type: z.optional(z.enum(['stdio', 'http', 'sse'])),
    command: z.optional(z.string().check(z.minLength(1))),
    args: z.optional(z.array(z.string())),
    env: z.optional(z.record(z.string(), z.string())),
    cwd: z.optional(z.string().check(z.minLength(1))),
    url: z.optional(z.url()),
    headers: z.optional(z.record(z.string(), z.string())),
    auth: z.optional(
      z.strictObject({
        clientId: z.optional(z.string().check(z.minLength(1))),
        clientSecret: z.optional(z.string().check(z.minLength(1))),
        clientMetadataUrl: z.optional(z.url()),
        grant: z.optional(z.enum(['authorization_code', 'client_credentials'])),
        scope: z.optional(z.string().check(z.minLength(1))),
      }),
    ),
    trusted: z.optional(z.boolean()),
    timeoutMs: z.optional(positive),
    connectTimeoutMs: z.optional(positive),
  })
  .check(
    z.refine(
      ({ command, url, type }) =>
        (command === undefined) !== (url === undefined) && (type === 'stdio') <= (url === undefined),
      'a server has either a command or a url',
    ),
  );
/** Functions that only a program can bring. */
const hookList = z.optional(z.array(z.custom((value) => typeof value === 'function', 'expected a function')));
const hooks = z.strictObject({
  runStart: hookList,
  beforeModel: hookList,
  afterModel: hookList,
  beforeTool: hookList,
  afterTool: hookList,
  beforeCompact: hookList,
  runEnd: hookList,
});
const log = z.strictObject({
  level: z.optional(z.enum(['silent', 'error', 'warn', 'info', 'debug'])),
  file: z.optional(z.string().check(z.minLength(1))),
});
/** Of agents and tool sets: they are typed in a shell and sent in URLs. */
const name = z
  .string()
  .check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'a name is 1 to 64 letters, digits, "_", "." or "-"'));

/** Shape of a configuration; {@link checkConfig} checks by it, and variables are derived from it. */
export const configSchema = z.strictObject({
  model: z.optional(modelName),
  fallbacks: z.optional(fallbacks),
  router: z.optional(router),
  system: z.optional(z.string()),
  models: z.optional(z.record(z.string(), z.union([withMethod('generate', 'a ChatModel'), provider]))),
  tools: z.optional(
    z.strictObject({
      define: z.optional(z.array(withMethod('run', 'a tool made with defineTool'))),
      sets: z.optional(z.record(name, toolNames)),
      allowed: z.optional(toolNames),
      disabled: z.optional(toolNames),
      limits: z.optional(
        z.record(
          z.string(),
          z.strictObject({
            maxConcurrent: z.optional(count),
            retries: z.optional(z.number().check(z.int(), z.gte(0), z.lte(10))),
          }),
        ),
      ),
    }),
  ),
  agents: z.optional(z.record(name, agent)),
  skills: z.optional(
    z.strictObject({
      folders: z.optional(z.array(z.string().check(z.minLength(1)))),
      bundled: z.optional(z.boolean()),
      allowed: z.optional(skillNames),
      disabled: z.optional(skillNames),
      approved: z.optional(z.array(z.string().check(z.minLength(1)))),
    }),
  ),
  policy: z.optional(
    z.strictObject({
      approve: z.optional(z.enum(['ask', 'all', 'none'])),
      confirm: z.optional(z.record(z.string(), z.boolean())),
      taint: z.optional(z.enum(['confirm', 'off'])),
      untrusted: z.optional(z.array(z.string().check(z.minLength(1)))),
    }),
  ),
  sandbox: z.optional(z.enum(['auto', 'bubblewrap', 'none'])),
  egress: z.optional(z.strictObject({ allow: z.optional(hosts), deny: z.optional(hosts) })),
  mcp: z.optional(
    z.strictObject({
      servers: z.optional(z.record(name, mcpServer)),
      project: z.optional(z.boolean()),
      allow: z.optional(z.array(z.string().check(z.minLength(1)))),
    }),
  ),
  memory: z.optional(memory),
  limits: z.optional(limits),
  budgets: z.optional(z.record(name, budget)),
  context: z.optional(context),
  database: z.optional(
    z.strictObject({
      file: z.optional(z.string().check(z.minLength(1))),
      synchronous: z.optional(z.enum(['FULL', 'NORMAL'])),
      groupCommit: z.optional(z.boolean()),
      maxPages: z.optional(count),
    }),
  ),
  secrets: z.optional(z.array(z.string())),
  hooks: z.optional(hooks),
  hookTimeoutMs: z.optional(positive),
  log: z.optional(log),
});

/** What a configuration may say of limits; each has a default. */
export type LimitsConfig = NonNullable<z.infer<typeof configSchema>['limits']>;
export type DatabaseConfig = NonNullable<z.infer<typeof configSchema>['database']>;
export type RouterConfig = NonNullable<z.infer<typeof configSchema>['router']>;
/** Where skills are looked for, which may be used, and which are trusted. */
export type SkillsConfig = NonNullable<z.infer<typeof configSchema>['skills']>;
/** What runs are reminded of, and how memory is searched. */
export type MemoryConfig = z.infer<typeof memory>;
export type PolicyConfig = NonNullable<z.infer<typeof configSchema>['policy']>;
/** Servers of the Model Context Protocol, and which of those in `.mcp.json` are used. */
export type McpConfig = NonNullable<z.infer<typeof configSchema>['mcp']>;
export type McpServerConfig = z.infer<typeof mcpServer>;
/** How much is logged, and where; see docs/logging.md. */
export type LogConfig = z.infer<typeof log>;
/** When a conversation is made smaller, and what stays whole. */
export type ContextConfig = z.infer<typeof context>;
/** A budget that runs share, in tokens, in money, or both; `per`: it starts anew with each day or month (UTC). */
export type BudgetConfig = z.infer<typeof budget>;
/** A named agent: what it leaves out is taken from the top of the configuration. */
export type AgentConfig = z.infer<typeof agent>;
/** The configuration as far as zod can type it; `Config` of the package gives tools and models their types. */
export type PlainConfig = z.infer<typeof configSchema>;

/**
 * Checks a configuration.
 *
 * @param where what to call it in the message: a file, or `createDetent`.
 * @throws DetentError `INVALID_CONFIG`, naming every bad field by its path.
 */
export function checkConfig(config: unknown, where: string): PlainConfig {
  const result = configSchema.safeParse(config);
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) => describe(issue, []));
  throw new DetentError('INVALID_CONFIG', `${where} is not valid: ${problems.join('; ')}`, {
    details: { where, problems },
  });
}

interface Issue {
  code?: string;
  path: readonly PropertyKey[];
  message: string;
  keys?: readonly string[];
  errors?: readonly (readonly Issue[])[];
  issues?: readonly Issue[];
}

/** One line for each bad field, with its path from the top. */
function describe(issue: Issue, above: readonly PropertyKey[]): string[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys' && issue.keys)
    return issue.keys.map((key) => `${[...path, key].map(String).join('.')}: there is no such field`);
  if (issue.code === 'invalid_key' && issue.issues)
    return issue.issues.map(({ message }) => `${path.map(String).join('.')}: ${message}`);
  // Of a union the last branch is the one that people write by hand.
  const branch = issue.code === 'invalid_union' ? issue.errors?.at(-1) : undefined;
  if (branch && branch.length > 0) return branch.flatMap((inner) => describe(inner, path));
  return [path.length === 0 ? issue.message : `${path.map(String).join('.')}: ${issue.message}`];
}
