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
    }),
  ),
  agents: z.optional(z.record(name, agent)),
  policy: z.optional(
    z.strictObject({
      approve: z.optional(z.enum(['ask', 'all', 'none'])),
      confirm: z.optional(z.record(z.string(), z.boolean())),
    }),
  ),
  sandbox: z.optional(z.enum(['auto', 'bubblewrap', 'none'])),
  egress: z.optional(z.strictObject({ allow: z.optional(hosts), deny: z.optional(hosts) })),
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
});

/** What a configuration may say of limits; each has a default. */
export type LimitsConfig = NonNullable<z.infer<typeof configSchema>['limits']>;
export type DatabaseConfig = NonNullable<z.infer<typeof configSchema>['database']>;
export type RouterConfig = NonNullable<z.infer<typeof configSchema>['router']>;
export type PolicyConfig = NonNullable<z.infer<typeof configSchema>['policy']>;
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
