import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { defaults } from '../enums.ts';
import { invalidConfig } from '../error.ts';
import { jobInput } from '../methods/job-input.ts';
import { type agent, agents, type budget, budgets } from './agents.ts';
import { context } from './context.ts';
import { database, secrets } from './database.ts';
import { type Field, field, objectOf } from './field.ts';
import { hooks, hookTimeoutMs } from './hooks.ts';
import { limits } from './limits.ts';
import { mcp, type server } from './mcp.ts';
import { memory } from './memory.ts';
import { fallbacks, model, models, router } from './models.ts';
import { policy, takeover } from './people.ts';
import { log, notify } from './reports.ts';
import { shop } from './shop.ts';
import { skills } from './skills.ts';
import { egress, sandbox, tools, webhooks } from './tools.ts';

z.config(en());

const system = field(z.string(), {
  text: 'The system prompt.',
  default: defaults.system,
  defaultText: "be helpful, use the tools, answer in the user's language",
  example: 'You are a helpful assistant. Look things up with your tools before you speak of them.',
  isLive: true,
});

const jobs = field(z.array(jobInput).check(z.maxLength(1_000)), {
  text: '[Scheduled jobs](schedule.md#jobs-in-the-configuration): prompts that agents get at set times, while `detent serve` or `detent cron serve` runs.',
  default: [],
  example: [{ jobId: 'daily', cron: '0 9 * * 1-5', prompt: 'Sum up yesterday.', delivery: 'console' }],
});

/** Every field of a configuration, in the order of `init`, `config show` and the docs. */
export const configTree = {
  model,
  fallbacks,
  router,
  system,
  models,
  tools,
  agents,
  skills,
  policy,
  sandbox,
  egress,
  webhooks,
  mcp,
  memory,
  shop,
  limits,
  budgets,
  jobs,
  context,
  takeover,
  database,
  secrets,
  hooks,
  hookTimeoutMs,
  notify,
  log,
};

/** The schema that {@link checkConfig} uses. The `DETENT_…` environment variables are derived from it. */
export const configSchema = objectOf(configTree);

type Infer<F extends Field> = z.infer<F['schema']>;

export type NotifyConfig = Infer<typeof notify>;
/** Limits of a run. */
export type LimitsConfig = Infer<typeof limits>;
export type DatabaseConfig = Infer<typeof database>;
export type RouterConfig = Infer<typeof router>;
/** Where skills are, which may be used, and which are trusted. */
export type SkillsConfig = Infer<typeof skills>;
/** Recall of memory before runs, and the embedding model. */
export type MemoryConfig = Infer<typeof memory>;
export type PolicyConfig = Infer<typeof policy>;
/** MCP servers, and which of those in `.mcp.json` may be used. */
export type McpConfig = Infer<typeof mcp>;
export type McpServerConfig = z.infer<typeof server>;
/** A shop behind the tools of an assistant; see docs/shop.md. */
export type ShopConfig = Infer<typeof shop>;
/** How much is logged, and where; see docs/logging.md. */
export type LogConfig = Infer<typeof log>;
/** When a conversation is pruned and compacted, and what stays whole. */
export type ContextConfig = Infer<typeof context>;
/** When a conversation goes back to its agent by itself, and which names of the staff users read. */
export type TakeoverConfig = Infer<typeof takeover>;
/** A budget that runs share, in tokens, in money, or both. With `per` it resets each day or month (UTC). */
export type BudgetConfig = z.infer<typeof budget>;
/** A named agent. A field that it leaves out comes from the top level of the configuration. */
export type AgentConfig = z.infer<typeof agent>;
/** The configuration as far as zod can type it. The public `Config` adds the types of tools and models. */
type PlainConfig = z.infer<typeof configSchema>;

/**
 * Checks a configuration.
 *
 * @param where the name of the source in the error message: a file, or `createDetent`.
 * @throws DetentError `INVALID_CONFIG`, naming every bad field by its path.
 */
export function checkConfig(config: unknown, where: string): PlainConfig {
  const result = configSchema.safeParse(config);
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) => issueLines(issue, []));
  throw invalidConfig(where, problems);
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
function issueLines(issue: Issue, above: readonly PropertyKey[]): string[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys' && issue.keys)
    return issue.keys.map((key) => `${[...path, key].map(String).join('.')}: there is no such field`);
  if (issue.code === 'invalid_key' && issue.issues)
    return issue.issues.map(({ message }) => `${path.map(String).join('.')}: ${message}`);
  // The last branch of a union is the one that people write by hand.
  const branch = issue.code === 'invalid_union' ? issue.errors?.at(-1) : undefined;
  if (branch && branch.length > 0) return branch.flatMap((inner) => issueLines(inner, path));
  return [path.length === 0 ? issue.message : `${path.map(String).join('.')}: ${issue.message}`];
}
