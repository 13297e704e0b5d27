import type { Clock } from '../../engine/clock.ts';
import type { ProviderConfig } from '../../models/provider-config.ts';
import type { ChatModel } from '../../ports/chat-model.ts';
import type { Hooks } from '../../ports/hooks.ts';
import type { Tool } from '../../ports/tool.ts';
import type {
  AgentConfig,
  BudgetConfig,
  ContextConfig,
  DatabaseConfig,
  LimitsConfig,
  LogConfig,
  McpConfig,
  MemoryConfig,
  PolicyConfig,
  RouterConfig,
  SkillsConfig,
} from '../../protocol/config.ts';
import type { Store } from '../../store/store.ts';
import type { Logger } from '../../telemetry/logger.ts';

/** What `detent.config.ts` may say. Every field has a default. */
export interface Config {
  /**
   * `provider/model`, or a model that one provider in `models` lists; without it the first provider whose key is set,
   * else the demo.
   */
  model?: string;
  /** Models that answer where that one cannot, in this order. A run whose request names a model has none. */
  fallbacks?: string[];
  /** How models are tried, when one is left alone for a while, and whether answers are kept. */
  router?: RouterConfig;
  /** The system prompt. */
  system?: string;
  /** Providers by name: where they answer, or a {@link ChatModel} of your own. */
  models?: Record<string, ProviderConfig | ChatModel>;
  tools?: {
    /** Your own, made with `defineTool`; they join the built-in ones. */
    define?: Tool[];
    /** Names for lists of tools: where tools are listed, `@name` stands for all of them. */
    sets?: Record<string, string[]>;
    /** The only ones that runs may use; without it all. A run can narrow this, never widen it. */
    allowed?: string[];
    /** Those that no run may use, whatever else is said. */
    disabled?: string[];
    /** Per tool: calls at once, and repeats of an attempt that failed for the moment; in place of the tool's own. */
    limits?: Record<string, { maxConcurrent?: number; retries?: number }>;
  };
  /**
   * Named agents; `default` is used when a run names none. What an agent leaves out is taken from the fields above and
   * below. Its `tools` narrow the configured ones.
   */
  agents?: Record<string, AgentConfig>;
  /**
   * Instructions for kinds of tasks (Agent Skills): further `folders` of them, which ones may be used, and the hashes of
   * those that may spare a person questions. See docs/skills.md.
   */
  skills?: SkillsConfig;
  /** What runs are reminded of, and how memory is searched; see docs/memory.md. */
  memory?: MemoryConfig;
  policy?: PolicyConfig;
  /**
   * What the shell runs commands in. `auto` (default) and `bubblewrap`: a sandbox, and where it does not work no shell.
   * `none`: nothing, so commands have the rights of this process.
   */
  sandbox?: 'auto' | 'bubblewrap' | 'none';
  /**
   * Where `http_get` may go: `allow` adds hosts, addresses and networks (`wiki.example`, `*.corp.example`,
   * `10.1.0.0/16`) to the public internet, `deny` takes some away and wins.
   */
  egress?: { allow?: string[]; deny?: string[] };
  /**
   * Servers of tools (Model Context Protocol): `servers` by name; `project: true` uses those of the workspace's
   * `.mcp.json`, too, and `allow` those of them that it names. See docs/mcp.md.
   */
  mcp?: McpConfig;
  limits?: LimitsConfig;
  /** Budgets that runs share, by name. A run uses the one that it, or its agent, names. */
  budgets?: Record<string, BudgetConfig>;
  /** How conversations are kept within the window of their model; see docs/context.md. */
  context?: ContextConfig;
  database?: DatabaseConfig;
  /** Names of further environment variables whose values must never be stored. */
  secrets?: string[];
  /** Functions that are called at fixed points of every run; see docs/hooks.md. */
  hooks?: Hooks;
  /** Milliseconds for one call of one hook. Default 5,000. */
  hookTimeoutMs?: number;
  /** One JSON object a line for what runs do, to stderr or a file; see docs/logging.md. Default: nothing. */
  log?: LogConfig;
}

/** Types a configuration file: `export default defineConfig({ … })`. */
export function defineConfig(config: Config): Config {
  return config;
}

export interface DetentOptions extends Config {
  /** The folder that file tools are confined to, and that holds `.detent/detent.db`. Default: the current one. */
  workspace?: string;
  /** A store of your own; without it SQLite at `database.file`. `in-process` forgets everything with the process. */
  store?: Store | 'in-process';
  /** Where keys are looked for. Default: `process.env`. */
  env?: Record<string, string | undefined>;
  /** Milliseconds to wait for another process that writes to the same database. Default 5,000. */
  lockWaitMs?: number;
  /** Reads beside a live process; runs cannot be made or moved. */
  readonly?: boolean;
  clock?: Clock;
  /**
   * A logger of your own, pino or one with its methods: told everything that `log` would write, in its place; what it
   * throws is ignored.
   */
  logger?: Logger;
  /** Told of failures that no caller can be told of. Default: one line on stderr. */
  onError?: (error: unknown, runId: string) => void;
}
