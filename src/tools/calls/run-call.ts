import { awaitForeign } from '../../engine/foreign-code.ts';
import { DetentError, describeThrown } from '../../protocol/error.ts';
import type { ToolOutcome } from '../../protocol/ports.ts';
import { type SideEffect, type Tool, type ToolContext, taskName } from '../../protocol/tool.ts';
import { createLimiter, type Limiter } from '../../text/limiter.ts';
import type { FileGuard } from '../files/file-guard.ts';
import type { SchemaCheck } from '../registry/issues.ts';
import type { RegisteredTool } from '../registry/registry.ts';
import { checkArguments } from './arguments.ts';
import { type Attempt, type AttemptClock, attempt } from './attempt.ts';
import { failed, returnedOutcome, stoppedOutcome, thrownOutcome } from './outcome.ts';
import { sideEffectOf } from './side-effect.ts';

/** Limits of one tool. */
export interface ToolLimits {
  /** Maximum concurrent calls. */
  maxConcurrent?: number;
  /** Retries of an attempt that failed with a retryable error. */
  retries?: number;
}

/** What the place where tools run has. */
interface RunHost {
  files: FileGuard;
  schemaIssues: SchemaCheck;
}

/** Runs one call. Parses and validates the arguments again, because these are the bytes that it executes. Never rejects. */
type RunTool = (entry: RegisteredTool, raw: string, ctx: ToolContext) => Promise<ToolOutcome>;

/**
 * Creates the function that runs calls. The calls of all runs share its limits.
 *
 * @param limits by the tool's name; they override the tool's own.
 */
export function createToolRunner(limits: Readonly<Record<string, ToolLimits>>, host: RunHost): RunTool {
  const limitsOf = (tool: Tool): ToolLimits => ({
    ...(tool.maxConcurrent !== undefined && { maxConcurrent: tool.maxConcurrent }),
    ...(tool.retries !== undefined && { retries: tool.retries }),
    ...(Object.hasOwn(limits, tool.name) ? limits[tool.name] : {}),
  });
  const limiters = new Map<string, Limiter>();
  /** Null without a limit. A source may list tools late, so each tool's limiter is made with its first call. */
  const limiterOf = ({ name }: Tool, { maxConcurrent }: ToolLimits, runId: string): Limiter | null => {
    if (maxConcurrent === undefined) return null;
    // One pool for each depth of tasks: a task keeps its slot while its own tasks wait for theirs, which would deadlock.
    const pool = name === taskName ? `${name} ${runId.split('.').length}` : name;
    const limiter = limiters.get(pool) ?? createLimiter({ [name]: maxConcurrent });
    limiters.set(pool, limiter);
    return limiter;
  };

  return async (entry, raw, ctx) => {
    const { tool } = entry;
    const bounds = limitsOf(tool);
    const limiter = limiterOf(tool, bounds, ctx.runId);
    if (!limiter) return runOnce(entry, raw, ctx, { ...host, retries: bounds.retries ?? 0 });
    let leave: () => void;
    try {
      leave = await limiter.acquire(tool.name, ctx.signal);
    } catch {
      return stoppedOutcome(tool, 'aborted', false);
    }
    try {
      return await runOnce(entry, raw, ctx, { ...host, retries: bounds.retries ?? 0 });
    } finally {
      leave();
    }
  };
}

async function runOnce(
  entry: RegisteredTool,
  raw: string,
  ctx: ToolContext,
  { retries, files, schemaIssues }: RunHost & { retries: number },
): Promise<ToolOutcome> {
  const { tool } = entry;
  const call = { args: undefined as unknown, started: false };
  const ended = await attempt(
    async (signal, clock): Promise<ToolOutcome> => {
      const checked = await checkArguments(entry, raw, schemaIssues);
      if (!checked.ok) return failed('INVALID_ARGUMENTS', checked.text);
      signal.throwIfAborted();
      Object.assign(call, { args: checked.args, started: true });
      const own = { ...withSignal(ctx, signal), ...asking(ctx, clock) };
      const sideEffect = sideEffectOf(tool, checked.args);
      const mayRepeat = repeatable.has(sideEffect);
      const attempts = () =>
        withRetries(
          () => awaitForeign(ownerOf(tool), () => tool.run(checked.args, own)),
          mayRepeat ? retries : 0,
          own,
        );
      const performed = () => (tool.writes ? files.noting(tool, checked.args, own, attempts) : attempts());
      // The calls of a task count one by one: it may wait for a person meanwhile.
      const mayWrite = sideEffect !== 'readonly' && tool.name !== taskName;
      return returnedOutcome(await (mayWrite ? files.whileWriting(performed) : performed()));
    },
    tool.timeoutMs,
    ctx.signal,
  );
  if (ended.ended === 'returned') return ended.value;
  if (ended.ended === 'threw') return thrownOutcome(ended.error);
  const doubt = call.started && sideEffectOf(tool, call.args) !== 'readonly';
  return stoppedOutcome(tool, ended.ended, doubt);
}

/** Whose code a tool is, for the report of what it leaves behind. */
function ownerOf({ name }: Tool): string {
  return `tool "${name}"`;
}

/** Stops the call's timeout while the tool waits for a person's answer. */
function asking({ ask }: ToolContext, clock: AttemptClock): Pick<ToolContext, 'ask'> {
  if (!ask) return {};
  return {
    ask: async (question) => {
      const goOn = clock.pause();
      try {
        return await ask(question);
      } finally {
        goOn();
      }
    },
  };
}

/** Classes of calls that may be repeated without asking a person. */
const repeatable: ReadonlySet<SideEffect> = new Set(['readonly', 'idempotent']);

/** Asks a tool whether an interrupted call ran. Null: it has no `status`, or `status` failed or timed out. */
export async function probeTool(
  entry: RegisteredTool,
  raw: string,
  ctx: ToolContext,
  schemaIssues: SchemaCheck,
): Promise<ToolOutcome | 'notRan' | null> {
  const { tool } = entry;
  if (!tool.status) return null;
  const ended: Attempt<ToolOutcome | 'notRan' | null> = await attempt(
    async (signal) => {
      const checked = await checkArguments(entry, raw, schemaIssues);
      if (!checked.ok) return null;
      const status = await awaitForeign(ownerOf(tool), () =>
        tool.status?.(checked.args, withSignal(ctx, signal)),
      );
      if (!status) return null;
      const { ran, notRan, result } = status as { ran?: unknown; notRan?: unknown; result?: unknown };
      // Any other answer, and one that says both, leaves the outcome unknown.
      if (notRan === true) return ran === undefined ? 'notRan' : null;
      return ran === true ? returnedOutcome(result) : null;
    },
    tool.timeoutMs,
    ctx.signal,
  );
  return ended.ended === 'returned' ? ended.value : null;
}

// Binds the methods again: a host may make its context from a class, and a spread drops inherited methods.
function withSignal(ctx: ToolContext, signal: AbortSignal): ToolContext {
  return {
    ...ctx,
    charge: (cost) => ctx.charge(cost),
    untrusted: () => ctx.untrusted?.(),
    log: (message, details) => ctx.log(message, details),
    progress: (message) => ctx.progress(message),
    signal,
  };
}

const firstPauseMs = 200;
const longestPauseMs = 5_000;

/**
 * Runs `work`, and retries it after an error with `retryable: true` or the code `NETWORK_ERROR`. The pause before a retry
 * is 0.2 s at first, and doubles each time. Reports each retry to the run's watchers.
 *
 * @throws what the last attempt threw, or the reason of the signal.
 */
async function withRetries<Value>(
  work: () => Value | Promise<Value>,
  retries: number,
  { signal, progress, log }: Pick<ToolContext, 'signal' | 'progress' | 'log'>,
): Promise<Value> {
  for (let made = 1; ; made++)
    try {
      return await work();
    } catch (error) {
      if (made > retries || !mayPass(error)) throw error;
      signal.throwIfAborted();
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (made - 1));
      const reason = describeThrown(error);
      progress(`attempt ${made} of ${retries + 1} failed (${reason}); the next one in ${pauseMs / 1000} s`);
      log('attempt failed', { attempt: made, of: retries + 1, reason, pauseMs });
      await pause(pauseMs, signal);
    }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  });
}

function mayPass(error: unknown): boolean {
  try {
    return DetentError.is(error) && (error.retryable === true || error.code === 'NETWORK_ERROR');
  } catch {
    return false;
  }
}
