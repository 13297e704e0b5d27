import type { RunSignal } from '../../engine/bus.ts';
import type { ToolSpec } from '../../ports/chat-model.ts';
import type { ToolView } from '../../ports/toolbox.ts';
import type { RunView } from '../../protocol/run-view.ts';
import type { ConfirmDecision, DecisionResult, ReconcileDecision } from '../../runs/decisions/decisions.ts';
import type { McpServerView } from '../../tools/mcp/source.ts';
import type { RunRequest } from '../config/options.ts';
import type { RunHistory } from './history.ts';
import type { DetentMemory } from './memory.ts';
import type { DetentSessions } from './sessions.ts';
import type { DetentSkills } from './skills.ts';
import type { DetentBudgets, UsageFilter, UsageReport } from './usage.ts';

/** A run that was asked for. */
export interface RunHandle {
  /** Of the run that takes the prompt; with mode `steer` known once `started` has resolved. */
  readonly runId: string;
  /** Resolves with the run's id once it is stored: from then on nothing loses it. */
  readonly started: Promise<string>;
  /**
   * Everything that happens from now on: `transition` (each with its `seq`, from the log), `delta`, `progress`, `log`,
   * `waits` (a sub-run asks a person). Ends with the run.
   */
  readonly events: AsyncIterable<RunSignal>;
  /**
   * Resolves when the run has ended, or when only a person can move it (`status` `waiting` or `queued`). Ask again after
   * a decision: each access waits for the next such moment.
   */
  readonly result: Promise<RunView>;
  cancel(reason?: string): Promise<boolean>;
  /** Adds a message: it is heard at the next model call, and calls that have not begun are skipped. */
  steer(message: string, extra?: Pick<RunRequest, 'attachments'>): Promise<void>;
  confirm(call: string, decision: ConfirmDecision): Promise<DecisionResult>;
}

export interface RunSummary {
  runId: string;
  sessionId: string;
  /** The run whose call started it, for a sub-run. */
  parentRunId?: string;
  parentCall?: string;
  status: RunView['status'];
  createdAt: number;
  updatedAt: number;
}

/** Made by {@link createDetent}. Opens its database when it is first used. */
export interface Detent {
  /** Starts a run. Failures to start reject `started` and `result`. */
  run(prompt: string, request?: RunRequest): RunHandle;
  readonly runs: RunHistory & {
    /** Newest first. */
    list(filter?: { tenantId?: number; session?: string; limit?: number }): Promise<RunSummary[]>;
    show(runId: string, tenantId?: number): Promise<RunView>;
    /** The commands that the run takes now: what a client may offer as buttons. */
    allowed(runId: string, tenantId?: number): Promise<{ type: string; callId?: string; verdict?: string }[]>;
    confirm(
      runId: string,
      call: string,
      decision: ConfirmDecision,
      tenantId?: number,
    ): Promise<DecisionResult>;
    reconcile(
      runId: string,
      call: string,
      decision: ReconcileDecision,
      tenantId?: number,
    ): Promise<DecisionResult>;
    cancel(runId: string, reason?: string, tenantId?: number): Promise<boolean>;
    steer(
      runId: string,
      message: string,
      tenantId?: number,
      extra?: Pick<RunRequest, 'attachments'>,
    ): Promise<void>;
    /** A handle on a run that exists. */
    attach(runId: string, tenantId?: number): RunHandle;
    /**
     * Takes over what an earlier process left unfinished: one session, by its key or by one of its runs, or everything.
     * Call it once at the start of a server. Answers the unfinished runs that are now driven.
     */
    resume(scope?: { runId: string } | { session: string }, tenantId?: number): Promise<string[]>;
  };
  readonly sessions: DetentSessions;
  /** What is remembered between conversations. */
  readonly memory: DetentMemory;
  /** What calls of models have cost, added up from the ledger. Throws `INVALID_ARGUMENTS`. */
  usage(filter?: UsageFilter): Promise<UsageReport>;
  /** What is spent, reserved and left of the budgets that runs share. */
  readonly budgets: DetentBudgets;
  readonly tools: {
    /** Those that runs may use, as a model sees them. */
    list(): Promise<readonly ToolSpec[]>;
    /** All that there are, with their classes, who asks and why, and which are off. */
    describe(): Promise<readonly ToolView[]>;
    /** Every server of tools (MCP) of the configuration, after it was asked for them: what it has, or why it cannot be used. */
    servers(): Promise<readonly McpServerView[]>;
  };
  /** What skills there are, and which ones a prompt would be offered. */
  readonly skills: DetentSkills;
  /** Hears every signal of one run; answers how to stop. */
  on(runId: string, listener: (signal: RunSignal) => void): () => void;
  /** Stops driving and closes the database; unfinished runs stay as they are and can be resumed. */
  close(): Promise<void>;
}
