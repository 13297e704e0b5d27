import type { RunSignal } from '../../engine/bus.ts';
import type { ToolSchema as TypedSchema } from '../../protocol/tool.ts';
import type { HasSchedule } from '../../schedule/door.ts';
import type { Backup, BackupOptions } from '../../store/sqlite.ts';
import type { RunRequest } from '../config/request.ts';
import type { DetentSkills } from '../parts/skill-views.ts';
import type { DetentAgents } from './agents.ts';
import type { DetentArtifacts, DetentAttachments } from './attachments.ts';
import type { DetentConfig } from './config.ts';
import type { DetentMachine } from './machine.ts';
import type { DetentMemory } from './memory.ts';
import type { DetentRequests } from './requests.ts';
import type { RunHandle } from './run-handle.ts';
import type { DetentRuns } from './runs.ts';
import type { DetentSessions } from './sessions.ts';
import type { DetentShop } from './shop.ts';
import type { DetentTenants } from './tenant-operations.ts';
import type { DetentTokens } from './tokens.ts';
import type { DetentTools } from './tools.ts';
import type { DetentBudgets, UsageFilter, UsageReport } from './usage-report.ts';
import type { DetentUsers } from './users.ts';
import type { DetentWorkflows } from './workflows.ts';

/** Made by {@link createDetent}. Opens its database on first use. */
export interface Detent extends HasSchedule {
  /**
   * Starts a run. If it cannot start, `started` and `result` reject. With an output schema of zod, `output` of the result
   * has its type.
   *
   * @example
   * ```ts
   * const output = z.object({ city: z.string(), celsius: z.number() });
   * const { output: weather } = await detent.run('Weather in Oslo?', { output }).result;
   * weather?.celsius;
   * ```
   */
  run<Output>(prompt: string, request: RunRequest & { output: TypedSchema<Output> }): RunHandle<Output>;
  run(prompt: string, request?: RunRequest): RunHandle;
  /** Opens the database now instead of on first use. Throws `DATABASE_*` and `CLOSED`. */
  open(): Promise<void>;
  readonly runs: DetentRuns;
  readonly sessions: DetentSessions;
  /** Statecharts of your own. */
  readonly workflows: DetentWorkflows;
  /** The memory that lasts between conversations. */
  readonly memory: DetentMemory;
  /** The configured shop; see docs/shop.md. */
  readonly shop: DetentShop;
  /** Sums of model calls, tokens and costs, from the ledger. Throws `INVALID_ARGUMENTS`. */
  usage(filter?: UsageFilter): Promise<UsageReport>;
  /** Tokens that let clients in. */
  readonly tokens: DetentTokens;
  /** Work that Detent does once for each key of a client. */
  readonly requests: DetentRequests;
  /** What shared budgets have spent, reserved and left. */
  readonly budgets: DetentBudgets;
  /** Uploads for messages to come. */
  readonly attachments: DetentAttachments;
  /** Images, documents and long outputs that events and results name. */
  readonly artifacts: DetentArtifacts;
  /** Its configuration, for people who maintain it. */
  readonly config: DetentConfig;
  /** Statecharts, for a page to draw. */
  readonly machine: DetentMachine;
  readonly agents: DetentAgents;
  /** The owners of runs, each with its own workspace. */
  readonly tenants: DetentTenants;
  /** All data of the users of a host: to give it to another user, to export it, and to delete it. */
  readonly users: DetentUsers;
  readonly tools: DetentTools;
  /** The available skills, and which of them a prompt would be offered. */
  readonly skills: DetentSkills;
  /**
   * Resolves if runs can be started and can continue: for the readiness check of a host. Writes nothing.
   *
   * Rejects with the cause if not, such as `DATABASE_LOST`, `DATABASE_BUSY`, or `DATABASE_FULL` for a disk without
   * room.
   */
  checkReady(): Promise<void>;
  /**
   * Copies the database to a file, by SQLite's backup API, while this and other processes work on it. Nothing else may copy
   * it from within this process. The copy is a database at another place: see `movedDatabase`.
   *
   * Throws `FILE_EXISTS`, `CANNOT_WRITE`, `NO_DATABASE_FILE`, and `DATABASE_BUSY` for an open database at that path.
   */
  backup(file: string, options?: BackupOptions): Promise<Backup>;
  /** Calls `listener` for every signal of one run, whichever process drives it. Returns the unsubscribe function. */
  on(runId: string, listener: (signal: RunSignal) => void, tenantId?: number): () => void;
  /** Stops driving runs and closes the database. Unfinished runs stay as they are and can be resumed. */
  close(): Promise<void>;
}
