import { readEffects } from '../../engine/log.ts';
import { isReserved } from '../../protocol/enums.ts';
import { isObject, parseJson } from '../../protocol/json.ts';
import type { EffectRow, RunRow, TimerRow } from '../../store/rows.ts';
import { callName } from '../../store/stored-call.ts';
import { isWorkflowRun } from '../../store/stored-run.ts';
import { duration } from '../../text/wording.ts';
import type { Store } from '../rows/statements.ts';

/** The chart's name for an effect: the id of an invocation, or the name of an action. */
export type NameOf = (effect: number) => string;

/** The chart's own names, from the rows of a workflow's effects. */
export function namesOf(effects: readonly Pick<EffectRow, 'n' | 'params'>[]): NameOf {
  return namedBy(new Map(effects.map(({ n, params }) => [n, serviceOf(params)])));
}

/** As {@link namesOf} for a stored run, reading its rows page by page; null for a run that is not a workflow. */
export async function readNames(store: Store, row: RunRow): Promise<NameOf | null> {
  if (!isWorkflowRun(row)) return null;
  const names = new Map<number, string | null>();
  for await (const { n, params } of readEffects(store, row.pk)) names.set(n, serviceOf(params));
  return namedBy(names);
}

/** One event of a workflow as people read it: see {@link eventName}. */
export async function readName(store: Store, { pk }: RunRow, event: { type: string }): Promise<string> {
  const { effectId, callId } = event as { effectId?: unknown; callId?: unknown };
  const [, retried] = /^flow\.(?:retry|unknown)\.(\d+)$/.exec(event.type) ?? [];
  const n = Number(retried ?? effectId ?? callId);
  const effect = Number.isInteger(n) ? await store.query('findEffect', { run: pk, n }) : undefined;
  return eventName(event, namedBy(new Map(effect ? [[n, serviceOf(effect.params)]] : [])));
}

function namedBy(names: ReadonlyMap<number, string | null>): NameOf {
  return (n) => names.get(n) ?? callName(n);
}

/** The name in the params of a workflow's effect; null for an effect of another machine. */
export function serviceOf(params: string): string | null {
  const { id, name } = (parseJson(params) ?? {}) as { id?: unknown; name?: unknown };
  return typeof id === 'string' ? id : typeof name === 'string' ? name : null;
}

/** What happened to a service, by the type of its fact. */
const happened: Readonly<Record<string, string>> = {
  'service.began': 'began',
  'service.done': 'done',
  'service.failed': 'failed',
  'service.uncertain': 'uncertain',
  'action.done': 'done',
  'effect.poisoned': 'poisoned',
};

/**
 * An event of a workflow as people read it, in the names of its chart: `approve done`, `after 7 days`. An event of the
 * chart itself keeps its name.
 */
export function eventName(
  { type, effectId, callId }: { type: string; effectId?: unknown; callId?: unknown },
  nameOf: NameOf,
): string {
  const what = happened[type];
  if (what !== undefined && typeof effectId === 'number') return `${nameOf(effectId)} ${what}`;
  if (type === 'tool.reconcile' && typeof callId === 'number') return `${nameOf(callId)} decided`;
  return timerName(type, nameOf) ?? type;
}

/** What a timer of a workflow waits for, by its event; null for another event. */
export function timerName(event: string, nameOf: NameOf): string | null {
  const [, delay] = /^xstate\.after\.([^.]+)\./.exec(event) ?? [];
  if (delay !== undefined) return `after ${/^\d+$/.test(delay) ? duration(Number(delay)) : delay}`;
  const [, kind, id = ''] = /^flow\.(raise|retry|unknown)\.(.*)$/.exec(event) ?? [];
  if (kind === 'raise') return `raise ${id}`;
  if (kind === 'retry') return `retry of ${nameOf(Number(id))}`;
  return kind === 'unknown' ? `expiry of ${nameOf(Number(id))}` : null;
}

/** What a timer waits for. */
export function timerWords({ event }: Pick<TimerRow, 'event'>, nameOf: NameOf): string {
  return timerName(event, nameOf) ?? event;
}

/** The content of a workflow's event, in a few words: an error, an output, a verdict, or what came from outside. */
export function flowWords({
  type,
  effectId: _,
  at: __,
  ...body
}: {
  type: string;
  [key: string]: unknown;
}): string {
  const { error, output, verdict, reason, result } = body;
  if (isObject(error)) return `${String(error.code)}: ${String(error.message)}`;
  if (type === 'tool.reconcile')
    return `${String(verdict)}${result === undefined ? '' : `: ${JSON.stringify(result)}`}`;
  if (type === 'service.done') return output === undefined ? '' : JSON.stringify(output);
  if (type === 'run.faulted') return `${String(body.code)}: ${String(body.message)}`;
  if (type === 'run.cancel') return typeof reason === 'string' ? reason : '';
  return isReserved(type) || Object.keys(body).length === 0 ? '' : JSON.stringify(body);
}
