import type { ToolSpec } from './agent/chat-model.ts';
import type { RunOptions } from './agent/run-options.ts';
import type { ConfirmDecision, DecisionResult, ReconcileDecision } from './agent/runs.ts';
import type { ToolView } from './agent/toolbox.ts';
import type { Core, Decorators } from './compose.ts';
import type { RunSignal } from './engine/bus.ts';
import type { Followed } from './engine/follow.ts';
import { historyApi, type RunHistory } from './history-api.ts';
import type { DetentOptions, RunRequest } from './options.ts';
import type { LimitsConfig } from './protocol/config.ts';
import { DetentError } from './protocol/error.ts';
import { randomId } from './protocol/ids.ts';
import type { RunView } from './protocol/run-view.ts';
import { type DetentSessions, sessionsApi } from './sessions-api.ts';
import type { McpServerView } from './tools/mcp/source.ts';
import type { DetentBudgets, UsageFilter, UsageReport } from './usage-api.ts';

export type { ChatModel, ModelRequest, PromptMessage, ToolSpec } from './agent/chat-model.ts';
export type { GrantRequest, GrantView } from './agent/grants.ts';
export type { GrantPattern, GrantTest } from './agent/grants-pattern.ts';
export type { FieldDifference, PartingTransition, RunDiff } from './agent/history/diff.ts';
export type { LoggedEvent } from './agent/history/events.ts';
export type { Forked } from './agent/history/fork.ts';
export type { OpenEffect } from './agent/history/fork-rows.ts';
export type { RunReplay } from './agent/history/replay-run.ts';
export type { Why } from './agent/history/why/why.ts';
export type {
  AddContext,
  Hook,
  HookedRun,
  HookRecord,
  Hooks,
  ModelAnswered,
  Rewrite,
  RunEnded,
  StartingCompaction,
  StartingModelCall,
  StartingRun,
  StartingToolCall,
  ToolCallDone,
  Veto,
} from './agent/hooks/hooks.ts';
export type { ConfirmDecision, DecisionResult, ReconcileDecision } from './agent/runs.ts';
export type { ImportedSession } from './agent/sessions/import.ts';
export type { LogSource } from './agent/sessions/read-lines.ts';
export type {
  SessionMessage,
  SessionRun,
  SessionSummary,
  SessionView,
} from './agent/sessions/session-view.ts';
export type { DeletedSession, ForkPlace } from './agent/sessions/sessions.ts';
export {
  type CallPreview,
  defineTool,
  type PreviewContext,
  type SideEffect,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  ToolFailure,
  type ToolStatus,
} from './agent/tool.ts';
export { type ToolContent, type ToolContentItem, toolContent } from './agent/tool-content.ts';
export type { ToolView } from './agent/toolbox.ts';
export type { Attachment } from './attachments.ts';
export type { CompactedSession } from './compact-session.ts';
export type { RunSignal } from './engine/bus.ts';
export type { UsageSum } from './engine/rows.ts';
export type { ForkOptions, RunHistory } from './history-api.ts';
export type { Logger, LogLevel } from './log/logger.ts';
export { type Config, type DetentOptions, defineConfig, type RunRequest } from './options.ts';
export type { ModelAnswer, ModelDelta, ModelToolCall } from './protocol/answer.ts';
export type { AgentConfig } from './protocol/config.ts';
export { DetentError } from './protocol/error.ts';
export type { ContentPart, PartView } from './protocol/parts.ts';
export type {
  CallView,
  PendingView,
  QuestionView,
  RunStatus,
  RunView,
  StepView,
  SubRunView,
  TaintView,
  TodoItem,
} from './protocol/run-view.ts';
export type { Usage } from './protocol/usage.ts';
export type { DetentSessions } from './sessions-api.ts';
export type { McpServerView, McpToolView } from './tools/mcp/source.ts';
export type {
  BudgetAccount,
  BudgetView,
  DetentBudgets,
  UsageFilter,
  UsageReport,
} from './usage-api.ts';

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
  /** Hears every signal of one run; answers how to stop. */
  on(runId: string, listener: (signal: RunSignal) => void): () => void;
  /** Stops driving and closes the database; unfinished runs stay as they are and can be resumed. */
  close(): Promise<void>;
}

const defaultTenant = 1;

/**
 * Makes a Detent: agent runs as durable statecharts.
 *
 * Nothing is opened before the first use, and no provider is loaded before its first call.
 *
 * @example
 * ```ts
 * const detent = createDetent({ model: 'openai/gpt-5-mini' });
 * const run = detent.run('What is 17 * 23?');
 * for await (const signal of run.events) if (signal.type === 'delta') show(signal.delta);
 * const { text, status } = await run.result;
 * await detent.close();
 * ```
 */
export function createDetent(options: DetentOptions = {}): Detent {
  return assemble(options);
}

/** {@link createDetent} with something between the engine and the world, for tests of the engine itself. */
export function assemble(options: DetentOptions, decorate?: Decorators): Detent {
  let opening: Promise<Core> | null = null;
  let closing: Promise<void> | null = null;
  const stops = new Set<() => void>();

  const core = (): Promise<Core> => {
    if (closing) return Promise.reject(new DetentError('CLOSED', 'this Detent was closed; create a new one'));
    opening ??= open();
    return opening;
  };

  const open = (): Promise<Core> => {
    const opened = import('./compose.ts').then(({ compose }) => compose(options, decorate));
    // What keeps it from opening, another process for one, may pass.
    opened.catch(() => {
      opening = null;
    });
    return opened;
  };

  /** A listener that throws is its owner's trouble, never the engine's. */
  const guarded = (listener: (signal: RunSignal) => void) => (signal: RunSignal) => {
    try {
      listener(signal);
    } catch (error) {
      (options.onError ?? console.error)(error, signal.runId);
    }
  };

  const on = (runId: string, listener: (signal: RunSignal) => void) => {
    let stop = () => {};
    let wanted = true;
    core().then(
      ({ bus }) => {
        if (wanted) stop = bus.listen(runId, guarded(listener));
      },
      () => {},
    );
    const leave = () => {
      wanted = false;
      stop();
      stops.delete(leave);
    };
    stops.add(leave);
    return leave;
  };

  const handle = (tenant: number, runId: string, started: Promise<string>): RunHandle => {
    // Whoever does not ask for `started` must not crash by its failure.
    started.catch(() => {});
    let id = runId;
    const known = started.then((actual) => {
      id = actual;
      return actual;
    });
    known.catch(() => {});
    return {
      get runId() {
        return id;
      },
      started,
      get events() {
        return signalsOf(tenant, runId, known);
      },
      get result() {
        return known.then(async (actual) => (await core()).runs.settled(tenant, actual));
      },
      cancel: async (reason) => (await core()).runs.cancel(tenant, await known, reason),
      steer: async (message, extra) => void (await steer(await known, message, tenant, extra)),
      confirm: async (call, decision) => (await core()).runs.confirm(tenant, await known, call, decision),
    };
  };

  /** Listens before the run exists, so that nothing of it is lost; to the run that took the prompt, if it is another. */
  const signalsOf = (tenant: number, asked: string, known: Promise<string>): AsyncIterable<RunSignal> => {
    const listen = async () => {
      const { follow } = await core();
      const own = (runId: string) => stoppable(follow(tenant, runId));
      const first = own(asked);
      try {
        if ((await known) === asked) return first;
      } catch (error) {
        first.leave();
        throw error;
      }
      first.leave();
      return own(await known);
    };
    const signals = listen();
    signals.catch(() => {});
    return {
      async *[Symbol.asyncIterator]() {
        const { followed, leave } = await signals;
        try {
          yield* followed;
        } finally {
          leave();
        }
      },
    };
  };

  /** Ends with this Detent, if nobody ends it before. */
  const stoppable = (followed: Followed) => {
    stops.add(followed.stop);
    const leave = () => {
      stops.delete(followed.stop);
      followed.stop();
    };
    return { followed, leave };
  };

  const shut = async () => {
    for (const stop of [...stops]) stop();
    await opening?.then(
      (opened) => opened.close(),
      () => {},
    );
  };

  /** A message and what goes with it, read and found fit for the model that is to see it. */
  const attached = async (
    prompt: string,
    { attachments = [] }: Pick<RunRequest, 'attachments'>,
    run: Pick<RunOptions, 'model' | 'fallbacks' | 'endpoint'>,
    limits: LimitsConfig | undefined,
  ) => {
    if (attachments.length === 0) return { prompt };
    const { models, workspace } = await core();
    const { attach, checkAccepted } = await import('./attachments.ts');
    const { mostPromptBytes } = await import('./run-request.ts');
    const { text, parts } = await attach(prompt, attachments, {
      workspace,
      maxPromptBytes: mostPromptBytes(limits),
    });
    await checkAccepted(parts, models, run);
    return { prompt: text, parts };
  };

  const steer = async (
    runId: string,
    message: string,
    tenant: number,
    extra: Pick<RunRequest, 'attachments'> = {},
  ) => {
    const { runs } = await core();
    const { checkPrompt } = await import('./run-request.ts');
    checkPrompt(message, options.limits);
    const { options: made } = extra.attachments?.length ? await runs.row(tenant, runId) : { options: '{}' };
    const { prompt, parts } = await attached(message, extra, JSON.parse(made) as RunOptions, options.limits);
    const { kind } = await runs.message(tenant, runId, prompt, parts);
    if (kind !== 'moved')
      throw new DetentError('RUN_ENDED', `run ${runId} has ended; start a new one in its session`);
  };

  return {
    run(prompt, request = {}) {
      const runId = randomId('run');
      const tenant = request.principal?.tenantId ?? defaultTenant;
      const start = async () => {
        const { limitsOf, startRequest } = await import('./run-request.ts');
        const { checkModels } = await import('./check-models.ts');
        const resolved = startRequest(prompt, request, options, runId);
        const { runs, models, workspace, declareBudget } = await core();
        await checkModels(models, resolved.options, limitsOf(request, options), options);
        const said = await attached(prompt, request, resolved.options, limitsOf(request, options));
        const { budget } = resolved.options;
        if (budget) await declareBudget(resolved.tenant, budget);
        return runs.start({ ...resolved, ...said, options: { ...resolved.options, workspace } });
      };
      return handle(tenant, runId, start());
    },
    runs: {
      list: async ({ tenantId = defaultTenant, session, limit = 100 } = {}) =>
        (await core()).runs.list(tenantId, session, limit),
      show: async (runId, tenantId = defaultTenant) => (await core()).runs.view(tenantId, runId),
      allowed: async (runId, tenantId = defaultTenant) => (await core()).runs.allowed(tenantId, runId),
      confirm: async (runId, call, decision, tenantId = defaultTenant) =>
        (await core()).runs.confirm(tenantId, runId, call, decision),
      reconcile: async (runId, call, decision, tenantId = defaultTenant) =>
        (await core()).runs.reconcile(tenantId, runId, call, decision),
      cancel: async (runId, reason, tenantId = defaultTenant) =>
        (await core()).runs.cancel(tenantId, runId, reason),
      steer: async (runId, message, tenantId = defaultTenant, extra) =>
        steer(runId, message, tenantId, extra),
      attach: (runId, tenantId = defaultTenant) =>
        handle(
          tenantId,
          runId,
          core().then(async ({ runs }) => (await runs.row(tenantId, runId)).id),
        ),
      ...historyApi(core, options.limits, defaultTenant),
      resume: async (scope, tenantId = defaultTenant) => (await core()).runs.resume(tenantId, scope),
    },
    sessions: sessionsApi(
      async () => (await core()).sessions,
      async (session, request) => {
        const { compactSession } = await import('./compact-session.ts');
        return compactSession(await core(), options, session, request);
      },
    ),
    usage: async (filter = {}) => (await import('./usage-api.ts')).usageReport((await core()).store, filter),
    budgets: {
      list: async (tenantId = defaultTenant) => {
        const { listBudgets } = await import('./usage-api.ts');
        const { store, clock } = await core();
        return listBudgets(store, options, tenantId, clock.now());
      },
    },
    tools: {
      list: async () => {
        const { toolbox } = await core();
        await toolbox.ready(null);
        return toolbox.specs(null);
      },
      describe: async () => {
        const { toolbox } = await core();
        await toolbox.ready(null);
        return toolbox.views();
      },
      servers: async () => (await core()).toolServers(),
    },
    on,
    close() {
      closing ??= shut();
      return closing;
    },
  };
}
