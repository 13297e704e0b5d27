import type { TenantParts } from '../../agent/services.ts';
import type { Followed } from '../../engine/engine.ts';
import type { MachineHosts } from '../../engine/machine.ts';
import type { Memories } from '../../memory/memories.ts';
import type { Conversations } from '../../memory/search.ts';
import type { ModelDirectory, OutputSchemas, Toolbox } from '../../protocol/ports.ts';
import type { History } from '../../runs/history.ts';
import type { IsDriven, KeyedRequests } from '../../runs/rows.ts';
import type { Sessions, Takeovers } from '../../runs/sessions.ts';
import type { ScheduleParts } from '../../schedule/door.ts';
import type { AnyShop } from '../../shop/open-shop.ts';
import type { SkillLibrary } from '../../skills/library.ts';
import type { RunBudget, RunOptions } from '../../store/run-options.ts';
import type { Store } from '../../store/store.ts';
import type { McpServerView } from '../../tools/mcp.ts';
import type { Workflows } from '../../workflow/registry.ts';

/** The parts that a listing needs: if nothing is open yet, only the database is opened for it. */
export interface Listing {
  store: Store;
  /** The database file; null for a store without one. */
  database: string | null;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Whether a live driver drives a run. */
  isDriven: IsDriven;
  /** Whether a driver, by its epoch, lives. */
  isLive(driver: number): boolean;
}

/** The parts of one tenant's runs. */
export interface OpenedTenant extends TenantParts {
  skills: SkillLibrary;
}

/**
 * Finds the parts of a tenant.
 *
 * @throws DetentError `UNKNOWN_TENANT`; `INVALID_WORKSPACE` when the workspace of its row cannot be used in this process.
 */
export type TenantPartsOf = (tenant: number) => Promise<OpenedTenant>;

/** The opened and wired parts of a Detent, below its schedule. */
export interface Parts extends Omit<ScheduleParts, 'jobs' | 'slotRuns'> {
  store: Store;
  workflows: Pick<Workflows, 'declared' | 'find' | 'hosts'>;
  hosts: MachineHosts;
  /** Loaded on first use, because runs do not need it. */
  history(): Promise<History>;
  sessions(): Promise<Sessions>;
  takeovers(): Promise<Takeovers>;
  requests: KeyedRequests;
  toolbox: Toolbox;
  outputs: OutputSchemas;
  skills: SkillLibrary;
  memory: Memories;
  conversations: Conversations;
  /** Null without a configured shop. */
  shop: AnyShop | null;
  /** Connects to every configured MCP server and lists its tools. */
  toolServers(): Promise<readonly McpServerView[]>;
  models: ModelDirectory;
  /** Null where one machine has the database. */
  placed: { of(tenant: number, runId: string): Promise<Pick<RunOptions, 'place'>> } | null;
  /** The folder that was opened. */
  workspace: string;
  /** The workspace, tools, skills and memory of a tenant. */
  tenants: TenantPartsOf;
  /** The database; null for a store that Detent does not open from a file. */
  database: string | null;
  /** Stores the configured limits of a shared budget, and of the account of a user. */
  declareBudget(tenant: number, budget: RunBudget, user: string | null): Promise<void>;
  /** Listens to a run from the moment of the call. */
  follow(tenant: number, runId: string): Followed;
  close(): Promise<void>;
}

/** All parts. Those of the schedule are the last: they start runs. */
export interface Core extends Parts, Omit<ScheduleParts, 'conversations'> {
  store: Store;
  tenants: TenantPartsOf;
}
