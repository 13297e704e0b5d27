import type { ToolContext } from '../agent/tool.ts';
import type { ToolOutcome } from '../agent/toolbox.ts';
import { checkArguments } from './arguments.ts';
import { type Attempt, attempt } from './attempt.ts';
import { failed, returnedOutcome, stoppedOutcome, thrownOutcome } from './outcome.ts';
import type { RegisteredTool } from './registry.ts';
import { sideEffectOf } from './side-effect.ts';

/** Runs one attempt within the tool's time-out. Parses and validates again: these are the bytes that are executed. */
export async function runTool(entry: RegisteredTool, raw: string, ctx: ToolContext): Promise<ToolOutcome> {
  const { tool } = entry;
  const call = { args: undefined as unknown, started: false };
  const ended = await attempt(
    async (signal): Promise<ToolOutcome> => {
      const checked = await checkArguments(entry, raw);
      if (!checked.ok) return failed('INVALID_ARGUMENTS', checked.text);
      signal.throwIfAborted();
      Object.assign(call, { args: checked.args, started: true });
      return returnedOutcome(await tool.run(checked.args, withSignal(ctx, signal)));
    },
    tool.timeoutMs,
    ctx.signal,
  );
  if (ended.ended === 'returned') return ended.value;
  if (ended.ended === 'threw') return thrownOutcome(ended.error);
  const doubt = call.started && sideEffectOf(tool, call.args) !== 'readonly';
  return stoppedOutcome(tool, ended.ended, doubt);
}

/** Asks a tool what became of a call. Null: it has no `status`, or could not say, in time or at all. */
export async function probeTool(
  entry: RegisteredTool,
  raw: string,
  ctx: ToolContext,
): Promise<ToolOutcome | 'notRan' | null> {
  const { tool } = entry;
  if (!tool.status) return null;
  const ended: Attempt<ToolOutcome | 'notRan' | null> = await attempt(
    async (signal) => {
      const checked = await checkArguments(entry, raw);
      if (!checked.ok) return null;
      const status = await tool.status?.(checked.args, withSignal(ctx, signal));
      if (!status) return null;
      if ('notRan' in status) return 'notRan';
      return 'ran' in status && status.ran ? returnedOutcome(status.result) : null;
    },
    tool.timeoutMs,
    ctx.signal,
  );
  return ended.ended === 'returned' ? ended.value : null;
}

// Bound again, because a host may well make its context from a class, and a spread drops inherited methods.
function withSignal(ctx: ToolContext, signal: AbortSignal): ToolContext {
  return {
    ...ctx,
    log: (message, details) => ctx.log(message, details),
    progress: (message) => ctx.progress(message),
    signal,
  };
}
