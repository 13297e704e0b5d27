import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { approvals, deciders, defaults, staffNames } from '../enums.ts';
import { invalidConfig } from '../error.ts';
import { jobInput } from '../methods/job-input.ts';
import { describeNoSuchField } from '../methods/no-such-field.ts';
import { type NoticeFunction, noticeTypes } from '../ports.ts';
import { type agent, agents, type budget, budgets } from './agents.ts';
import { context } from './context.ts';
import { type Field, field, group, objectOf } from './field.ts';
import { limits } from './limits.ts';
import { mcp, type server } from './mcp.ts';
import { memory } from './memory.ts';
import { fallbacks, model, models, router } from './models.ts';
import { shop } from './shop.ts';
import { egress, sandbox, tools, webhooks } from './tools.ts';
import { count, positive, text, texts } from './values.ts';

const policy = group('Which tool calls a person must confirm.', {
  approve: field(z.enum(approvals), {
    text: 'Calls that need a confirmation: `ask` a person, approve `all`, or approve `none`.',
    default: defaults.policy.approve,
  }),
  confirm: field(z.record(z.string(), z.union([z.boolean(), z.enum(deciders)])), {
    text: 'By tool name, whether a person must confirm its calls, and [who](policy.md#who-may-decide): `user` or `staff`; overrides the setting of the tool. See [policy](policy.md) for the order of the rules.',
    default: {},
    example: { write_file: false },
  }),
  fourEyes: field(texts, {
    text: 'Tools whose calls always need a confirmation, and never by someone who [asked for them](policy.md#four-eyes); `*` stands for any characters. `ask` is what workflows ask.',
    default: [],
    example: ['refund', 'mcp__bank__*'],
  }),
  taint: field(z.enum(['confirm', 'off']), {
    text: '`confirm`: once [untrusted text](policy.md#untrusted-text) is in a conversation, calls that write or send need a confirmation. `off`: they do not.',
    default: defaults.policy.taint,
  }),
  untrusted: field(texts, {
    text: 'Globs of files whose text is untrusted, in addition to text from the web and from MCP servers.',
    default: [],
    example: ['inbox/**'],
  }),
});

const takeover = group('When a [person takes a conversation over](takeover.md).', {
  expiresMs: field(positive, {
    text: 'If nobody gives a conversation back, it returns to its agent this long after the last action of the staff.',
    default: defaults.takeover.expiresMs,
  }),
  names: field(z.enum(staffNames), {
    text: 'The name that users see beside messages of the staff: `hidden`: none; `token`: the name of the token, which people choose.',
    default: defaults.takeover.names,
  }),
});

const skills = group('Instructions for kinds of tasks (skills); see docs/skills.md.', {
  folders: field(texts, {
    text: 'Further folders of [skills](skills.md), relative to the workspace.',
    default: [],
    example: ['../team/skills'],
  }),
  bundled: field(z.boolean(), {
    text: 'Whether the skills that come with Detent may be used.',
    default: true,
  }),
  allowed: field(texts, {
    text: 'The only skills that may be used; `*` in a name matches any characters.',
    defaultText: 'all',
    example: ['code-*'],
  }),
  disabled: field(texts, {
    text: 'Skills that may not be used, even if `skills.allowed` names them.',
    default: [],
    example: ['shopping-assistant'],
  }),
  approved: field(texts, {
    text: 'Hashes of trusted skills, which may skip confirmations, as `detent skills show` prints them; in addition to those that `detent skills approve` recorded.',
    default: [],
  }),
});

const log = group('A structured log of what runs do, one JSON object per line.', {
  level: field(z.enum(['silent', 'error', 'warn', 'info', 'debug']), {
    text: 'How much is [logged](logging.md): `silent`, `error`, `warn`, `info` or `debug`.',
    default: defaults.log.level,
    example: 'info',
  }),
  file: field(text, {
    text: 'The log file, relative to the workspace.',
    defaultText: 'stderr',
    example: '.detent/detent.log',
  }),
});

const webhook = z.strictObject({
  url: text,
  secretEnv: z.optional(text),
  events: z.optional(z.array(z.enum(noticeTypes)).check(z.minLength(1))),
  words: z.optional(z.boolean()),
});

/** A program may give a function. */
const told = z.custom<NoticeFunction>((value) => typeof value === 'function', 'expected a function');

const notify = field(z.union([webhook, told]), {
  text: 'A [webhook](hooks.md#notifications) that Detent notifies when a run waits for a person or for the app, ends while nobody watches, or a person of the staff speaks.',
  defaultText: 'none',
  example: { url: 'https://shop.example/notices', secretEnv: 'NOTICES_SECRET' },
});

/** Functions: only a program can set them, a YAML or JSON file cannot. */
const list = z.optional(z.array(z.custom((value) => typeof value === 'function', 'expected a function')));

const hooks = field(
  z.strictObject({
    runStart: list,
    beforeModel: list,
    afterModel: list,
    beforeTool: list,
    afterTool: list,
    beforeCompact: list,
    runWaiting: list,
    runDecided: list,
    runEnd: list,
  }),
  {
    text: 'Functions that are called at fixed points of every run; see [hooks](hooks.md).',
    defaultText: 'none',
    code: "{ beforeTool: [({ tool }) => (tool === 'shell' ? { veto: 'not today' } : null)] }",
  },
);

const hookTimeoutMs = field(positive, {
  text: 'Timeout of one hook call, which then counts as a veto.',
  default: defaults.hookTimeoutMs,
});

const database = group('Where runs are stored.', {
  file: field(text, {
    text: 'The database file, relative to the workspace. `:memory:` keeps nothing after the process ends.',
    default: defaults.database.file,
  }),
  url: field(text, {
    text: '[PostgreSQL](postgres.md) in place of the file. Without both, the variable `DATABASE_URL` counts.',
    defaultText: 'none',
    example: 'postgres://user:password@host:5432/database',
  }),
  synchronous: field(z.enum(['FULL', 'NORMAL']), {
    text: '`FULL` survives a power failure. `NORMAL` is faster, and a power failure may lose the last commits.',
    default: defaults.database.synchronous,
  }),
  groupCommit: field(z.boolean(), {
    text: 'Whether commits that arrive together share a transaction.',
    default: defaults.database.groupCommit,
  }),
  maxPages: field(count, {
    text: 'Maximum size of the file, in pages of 4 KB.',
    defaultText: 'none',
    example: 262_144,
  }),
});

const secrets = field(z.array(z.string()), {
  text: 'Names of further environment variables whose values must never be stored.',
  default: [],
  example: ['SHOP_PIN'],
});

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
    return issue.keys.map(
      (key) => `${[...path, key].map(String).join('.')}: ${describeNoSuchField(configSchema, path, key)}`,
    );
  if (issue.code === 'invalid_key' && issue.issues)
    return issue.issues.map(({ message }) => `${path.map(String).join('.')}: ${message}`);
  // The last branch of a union is the one that people write by hand.
  const branch = issue.code === 'invalid_union' ? issue.errors?.at(-1) : undefined;
  if (branch && branch.length > 0) return branch.flatMap((inner) => issueLines(inner, path));
  return [path.length === 0 ? issue.message : `${path.map(String).join('.')}: ${issue.message}`];
}
