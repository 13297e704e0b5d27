import { defaults } from '../protocol/enums.ts';
import type { HookedRun, HookPoint, HookRecord, HookSet } from '../protocol/ports.ts';
import type { RunRow } from '../store/rows.ts';
import type { RunOptions } from '../store/run-options.ts';
import { callHook } from './hooks/one-hook.ts';

export const defaultHookTimeoutMs = defaults.hookTimeoutMs;

/** A hook's veto, or a hook's failure. */
export interface Stopped {
  code: 'HOOK_VETO' | 'HOOK_FAILED';
  /** Of the hook. */
  name: string;
  reason: string;
}

/** The result of all hooks of one point. */
interface Hooked<Value> {
  /** As the last rewrite left it. */
  value: Value;
  /** The name of the last hook that rewrote the value; null when none did. */
  rewrittenBy: string | null;
  added: readonly { name: string; text: string }[];
  stopped: Stopped | null;
  records: readonly HookRecord[];
}

/** Whether this point has any hook. */
export function hasHooks(set: HookSet | undefined, point: HookPoint): set is HookSet {
  return (set?.hooks[point]?.length ?? 0) > 0;
}

/**
 * Calls the hooks of one point in order. Each sees the rewrites of those before it. The first veto or failure stops the
 * chain.
 *
 * @param value what they may rewrite
 * @param viewOf makes the view of the value that a hook gets
 * @param noted makes the log entry of a rewrite
 */
export async function runHooks<Value>(
  { hooks, timeoutMs }: HookSet,
  point: HookPoint,
  signal: AbortSignal,
  { value: first, viewOf, noted }: Subject<Value>,
): Promise<Hooked<Value>> {
  const records: HookRecord[] = [];
  const added: { name: string; text: string }[] = [];
  let value = first;
  let rewrittenBy: string | null = null;
  let stopped: Stopped | null = null;
  for (const [i, hook] of (hooks[point] ?? []).entries()) {
    const name = hook.name === '' ? `${point} ${i + 1}` : hook.name;
    const call = hook as (view: object, signal: AbortSignal) => unknown;
    const answer = await callHook(point, call, deepFrozen(viewOf(value)), { timeoutMs, signal });
    const by = { hook: point, name };
    if (answer.did === 'rewrite') {
      const next = answer.to as Value;
      records.push({ ...by, did: 'rewrite', ...noted?.(value, next) });
      value = next;
      rewrittenBy = name;
      continue;
    }
    records.push({ ...by, ...answer });
    if (answer.did === 'addContext') added.push({ name, text: answer.text });
    if (answer.did !== 'veto' && answer.did !== 'failed') continue;
    const code = answer.did === 'veto' ? 'HOOK_VETO' : 'HOOK_FAILED';
    stopped = { code, name, reason: answer.reason };
    break;
  }
  return { value, rewrittenBy, added, stopped, records };
}

interface Subject<Value> {
  value: Value;
  viewOf(value: Value): object;
  noted?(before: Value, after: Value): { arguments?: string; chars?: [number, number] };
}

/** The reason of a veto or failure, in words for people and models. */
export function describeStop({ code, name, reason }: Stopped): string {
  return code === 'HOOK_VETO'
    ? `the hook "${name}" refused it: ${reason}`
    : `the hook "${name}" failed: ${reason}`;
}

/** The facts about the run in every hook's view. */
export function hookedRun(
  row: RunRow,
  { agent, principal }: Pick<RunOptions, 'agent' | 'principal'>,
): HookedRun {
  return {
    runId: row.id,
    sessionId: row.sessionKey,
    tenantId: row.tenant,
    userId: principal.userId,
    agent: agent ?? null,
  };
}

function deepFrozen<T extends object>(view: T): T {
  for (const inner of Object.values(view)) if (typeof inner === 'object' && inner !== null) deepFrozen(inner);
  return Object.freeze(view);
}
