import type { Clock } from '../../engine/clock.ts';
import type { ProviderConfig } from '../../models/provider-config.ts';
import type {
  AgentConfig,
  BudgetConfig,
  ContextConfig,
  DatabaseConfig,
  LimitsConfig,
  LogConfig,
  McpConfig,
  MemoryConfig,
  NotifyConfig,
  PolicyConfig,
  RouterConfig,
  ShopConfig,
  SkillsConfig,
  TakeoverConfig,
} from '../../protocol/config.ts';
import type { JobInput } from '../../protocol/methods.ts';
import type { ChatModel, Hooks, Logger } from '../../protocol/ports.ts';
import type { Tool } from '../../protocol/tool.ts';
import type { Store } from '../../store/store.ts';
import type { Workflow } from '../../workflow/workflow.ts';
import type { ConfigOrigins } from './origins.ts';

/** The configuration, as in `detent.config.ts`. Every field has a default. */
export interface Config {
  /**
   * `provider/model`, or a model that exactly one provider in `models` lists. Default: the first provider whose key is
   * set, else the demo.
   */
  model?: string;
  /** Models to try, in this order, when that one fails. A run whose request names a model has no fallbacks. */
  fallbacks?: string[];
  /** The order of models, the circuit breaker, and the cache of answers. */
  router?: RouterConfig;
  /** The system prompt. */
  system?: string;
  /** Providers by name: their address and settings, or a {@link ChatModel} of your own. */
  models?: Record<string, ProviderConfig | ChatModel>;
  tools?: {
    /** Your own tools, made with `defineTool`, in addition to the built-in ones. */
    define?: Tool[];
    /** Named lists of tools. Every list of tools can use `@name` for such a list. */
    sets?: Record<string, string[]>;
    /** The only tools that runs may use. A run can shorten the list, not extend it. Default: all. */
    allowed?: string[];
    /** Tools that no run may use, even if another field allows them. */
    disabled?: string[];
    /** By tool name: maximum of concurrent calls, and retries after a temporary failure; instead of the tool's own. */
    limits?: Record<string, { maxConcurrent?: number; retries?: number }>;
  };
  /**
   * Named agents; a run that names none uses `default`. A field that an agent leaves out comes from the top level of
   * the configuration. Its `tools` shorten the configured list.
   */
  agents?: Record<string, AgentConfig>;
  /**
   * Instructions for kinds of tasks (Agent Skills): further `folders`, which skills may be used, and the hashes of
   * trusted ones, which may skip confirmations. See docs/skills.md.
   */
  skills?: SkillsConfig;
  /** Recall of memory before runs, and the embedding model; see docs/memory.md. */
  memory?: MemoryConfig;
  policy?: PolicyConfig;
  /**
   * Where shell commands run. `auto` (default) and `bubblewrap`: in a sandbox; if that does not work, there is no
   * shell. `none`: without a sandbox, with the rights of this process.
   */
  sandbox?: 'auto' | 'bubblewrap' | 'none';
  /**
   * Which hosts `http_get` may reach. `allow` adds hosts, addresses and networks (`wiki.example`, `*.corp.example`,
   * `10.1.0.0/16`) to the public internet. `deny` excludes some, and overrides `allow`.
   */
  egress?: { allow?: string[]; deny?: string[] };
  webhooks?: {
    /** Hosts, addresses and networks that webhooks of scheduled jobs may reach although they are not public. */
    allowHosts?: string[];
    /** By the name of a tenant: the variables that its administrators may name as `secretEnv`. The first tenant may name any. */
    secretEnv?: Record<string, string[]>;
  };
  /**
   * MCP servers (Model Context Protocol): `servers` by name. `project: true` adds all servers of the workspace's
   * `.mcp.json`; `allow` adds only the ones it names. See docs/mcp.md.
   */
  mcp?: McpConfig;
  /** A shop behind the tools of an assistant; see docs/shop.md. Default: none. */
  shop?: ShopConfig;
  limits?: LimitsConfig;
  /** Budgets that runs share, by name. A run uses the one that its request or its agent names. */
  budgets?: Record<string, BudgetConfig>;
  /** Prompts at set times; "detent serve" and "detent cron serve" run them, and a program gives them to `createScheduler`. */
  jobs?: JobInput[];
  /** When conversations are pruned and compacted; see docs/context.md. */
  context?: ContextConfig;
  /** Conversations that a person of the staff takes over; see docs/takeover.md. */
  takeover?: TakeoverConfig;
  database?: DatabaseConfig;
  /** Names of further environment variables whose values must never be stored. */
  secrets?: string[];
  /** Functions that Detent calls at fixed points of every run; see docs/hooks.md. */
  hooks?: Hooks;
  /** Timeout of one hook call, in milliseconds. Default 5,000. */
  hookTimeoutMs?: number;
  /**
   * Is told when a run waits for a person or for a tool of the app, ends while no connection watches it, or a person of the staff speaks:
   * a function, or a webhook. At least once, each under one id; see docs/hooks.md.
   */
  notify?: NotifyConfig;
  /** A log of what runs do, one JSON object per line, to stderr or a file; see docs/logging.md. Default: no log. */
  log?: LogConfig;
}

/** Gives a configuration file its type: `export default defineConfig({ … })`. */
export function defineConfig(config: Config): Config {
  return config;
}

export interface DetentOptions extends Config {
  /** Statecharts of your own, made with `workflow` of `detent/workflow`; see docs/workflows.md. */
  workflows?: readonly Workflow[];
  /**
   * In place of `workflows`: loads them when the first use needs them. They are checked already.
   *
   * @internal
   */
  loadWorkflows?(): Promise<readonly Workflow[]>;
  /** The folder that file tools are confined to, and that holds `.detent/detent.db`. Default: the current folder. */
  workspace?: string;
  /**
   * Files and folders that a tool writes only with a person's approval, in addition to those that are always guarded (see
   * docs/policy.md): the modules that a configuration imports, say. Relative to the workspace, or absolute.
   */
  guardedFiles?: readonly string[];
  /**
   * Performs the calls of tools that may write, and what commands do in the background: for a program that must know what
   * they changed.
   *
   * @internal
   */
  whileWriting?<T>(work: () => Promise<T>): Promise<T>;
  /**
   * The text of the workspace's `.mcp.json`, for a program that has read and checked it; null says that there is none. By
   * default Detent reads the file when it opens.
   */
  mcpFile?: string | null;
  /** A store of your own, or `in-process`, which is SQLite in memory and in no file. Default: PostgreSQL at `database.url`, else SQLite at `database.file`, else PostgreSQL at the variable `DATABASE_URL`. */
  store?: Store | 'in-process';
  /**
   * What happens to the unfinished runs of a database that was moved or copied since they were driven: `refuse` (default)
   * leaves them as they are, and resuming one fails with `DATABASE_MOVED`; `adopt` takes all of them over here, with what
   * people approved and granted. Never adopt the copy of a database whose original is still used.
   */
  movedDatabase?: 'refuse' | 'adopt';
  /** Environment variables that hold the API keys. Default: `process.env`. */
  env?: Record<string, string | undefined>;
  /**
   * False: this process makes runs, gives commands and follows runs, and leaves their driving to other processes on the same PostgreSQL
   * database. See docs/production.md. Default: true.
   */
  drivesRuns?: boolean;
  /**
   * How many runs this process drives at once, where it drives all that come (`detent serve`, `runs.resume()`) and other processes
   * share its PostgreSQL database: more wait for a process with room. Runs at rest do not count. Default: 200.
   */
  slots?: number;
  /**
   * What tells processes that share a PostgreSQL database that a run wants one of them. `pg-boss`: jobs of that package, as `detent serve`
   * does it, where the package is installed and `detent db migrate` has made its tables. Default: `rows`, which each process looks at
   * every second. Either way the rows decide who drives a run. See docs/postgres.md.
   */
  dispatcher?: 'rows' | 'pg-boss';
  /** Opens the database only for reading, beside a process that drives runs. Runs cannot be created or moved. */
  readonly?: boolean;
  clock?: Clock;
  /** Milliseconds between two pieces of the demo's answer, for a program that shows a person how it streams. Default 0. */
  demoPieceDelayMs?: number;
  /** The same for the demo's tour, three times as slow, which is to be read while it streams. Default: `demoPieceDelayMs`. */
  demoTourDelayMs?: number;
  /**
   * A logger of your own, pino or one with its methods. It gets every line that `log` would write, instead of the
   * configured one. Detent ignores what it throws.
   */
  logger?: Logger;
  /** For a program that reads its configuration from files, variables or flags, as the command line does: the sources. */
  origins?: ConfigOrigins;
  /** The name in the log for decisions, messages and cancellations of this program that name no person. Default: `program`. */
  actor?: string;
  /** Called with failures that reach no caller. Default: writes one line to stderr. */
  onError?: (error: unknown, runId: string) => void;
}
