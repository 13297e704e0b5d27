import {
  type PendingCall,
  type RunContext,
  type RunEvent,
  type RunLimits,
  type RunOutput,
  reconcileVerdicts,
  type SideEffectClass,
} from './run.types.ts';

/** What the charts of a run and of a single call compute about calls and working time: pure functions. */

export type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;
type Fact = Extract<RunEvent, { effectId: number }>;

/** What a chart that makes calls knows of them, of its working time, and of its end. */
export interface CallsContext
  extends Pick<RunContext, 'pending' | 'spentMs' | 'since' | 'tokensIn' | 'tokensOut' | 'costUsd'> {
  end: RunOutput | null;
  limits: Pick<RunLimits, 'workMs' | 'confirmMs' | 'reconcileMs'>;
}

export type CallsChange = Partial<Omit<CallsContext, 'limits'>>;
type Pending = Pick<CallsContext, 'pending'>;
type Clock = Pick<CallsContext, 'pending' | 'spentMs' | 'since'>;

/** Longer than any expiry, since the wait of a sub-run ends by its own expiry. */
const parkedDeadlineMs = 366 * 24 * 60 * 60_000;

export function idsIn({ pending }: Pending, ...states: PendingCall['state'][]): number[] {
  return pending.filter((call) => states.includes(call.state)).map((call) => call.id);
}

function setState({ pending }: Pending, ids: number[], state: PendingCall['state']): PendingCall[] {
  return pending.map((call) => (ids.includes(call.id) ? { ...call, state } : call));
}

export function without({ pending }: Pending, ids: number[]): PendingCall[] {
  return pending.filter((call) => !ids.includes(call.id));
}

export function isFact(event: RunEvent): event is Fact {
  return 'effectId' in event;
}

/** Calls that have started and not ended, including those that wait for an answer or have a parked sub-run. */
export function idsAtWork(context: Pending): number[] {
  return idsIn(context, 'started', 'asking', 'parked');
}

/** Calls that wait for a person, before they start or while they run. */
export function idsAsked(context: Pending): number[] {
  return idsIn(context, 'asked', 'asking');
}

export function isStartedCall(context: Pending, event: RunEvent): boolean {
  return isFact(event) && idsAtWork(context).includes(event.effectId);
}

export function isAskingCall(context: Pending, event: RunEvent): boolean {
  return event.type === 'tool.asked' && idsAtWork(context).includes(event.callId);
}

export function mayPark(context: Pending, event: RunEvent): boolean {
  return event.type === 'subrun.parked' && idsIn(context, 'started').includes(event.callId);
}

export function isParkedCall(context: Pending, event: RunEvent): boolean {
  return event.type === 'subrun.resumed' && idsIn(context, 'parked').includes(event.callId);
}

export function isAskedCall(context: Pending, event: RunEvent): boolean {
  return event.type === 'confirm.decide' && idsAsked(context).includes(event.callId);
}

export function isLastAskedCall(context: Pending, event: RunEvent): boolean {
  return isAskedCall(context, event) && idsAsked(context).length === 1;
}

/** The call with the last open question has ended without its answer. */
export function isLastQuestion(context: Pending, event: RunEvent): boolean {
  const [asked, ...others] = idsAsked(context);
  return isStartedCall(context, event) && others.length === 0 && isFact(event) && event.effectId === asked;
}

export function isUncertainCall(context: Pending, event: RunEvent): boolean {
  if (event.type !== 'tool.reconcile' || !reconcileVerdicts.includes(event.verdict)) return false;
  return idsIn(context, 'uncertain').includes(event.callId);
}

/** Rounds money to eight decimals: unrounded binary fractions would double its bytes in every row. */
export function addCost(
  { tokensIn, tokensOut, costUsd }: Pick<CallsContext, 'tokensIn' | 'tokensOut' | 'costUsd'>,
  event: RunEvent,
): CallsChange {
  if (!('cost' in event) || !event.cost) return {};
  return {
    tokensIn: tokensIn + event.cost.inputTokens,
    tokensOut: tokensOut + event.cost.outputTokens,
    costUsd: Math.round((costUsd + (event.cost.costUsd ?? 0)) * 1e8) / 1e8,
  };
}

export function markStarted(context: Pending, ids: number[]): Pending {
  return { pending: setState(context, ids, 'started') };
}

export function markAsking(context: Pending, { callId }: EventOf<'tool.asked'>): Pending {
  return { pending: setState(context, [callId], 'asking') };
}

/** Parked calls that resume with this event: the one that it names, or all when a driver took the run over. */
export function unparkedBy(context: Pending, event: RunEvent): number[] {
  const parked = idsIn(context, 'parked');
  // The new driver performs each call again, which parks it again if its sub-run still waits.
  if (event.type === 'run.resumed') return parked;
  const named = isFact(event) ? event.effectId : 'callId' in event ? event.callId : undefined;
  return parked.filter((id) => id === named);
}

export function park(context: Pending, { callId }: EventOf<'subrun.parked'>): Pending {
  return { pending: setState(context, [callId], 'parked') };
}

/** Working time up to `at`. The clock stops while any call is parked, even when other calls run. */
export function workedMs(context: Clock, at: number): number {
  const { spentMs, since } = context;
  return idsIn(context, 'parked').length > 0 ? spentMs : spentMs + Math.max(0, at - since);
}

/** The timer of the run's working time. While a call is parked it is postponed, not cleared: every state has an exit. */
export function deadline(context: Clock & Pick<CallsContext, 'limits'>) {
  const { limits, spentMs } = context;
  const isParked = idsIn(context, 'parked').length > 0;
  return {
    id: 'deadline',
    event: 'timer.deadline',
    delayMs: isParked ? parkedDeadlineMs : Math.max(0, limits.workMs - spentMs),
  } as const;
}

export function markUncertain(context: Pending, { effectId }: EventOf<'tool.uncertain'>): Pending {
  return { pending: setState(context, [effectId], 'uncertain') };
}

export function markReady(
  context: Pending,
  { callId, ...event }: EventOf<'confirm.decide' | 'tool.reconcile'>,
): Pending {
  const pending = setState(context, [callId], 'ready');
  const changed: SideEffectClass | undefined = 'class' in event ? event.class : undefined;
  if (changed === undefined) return { pending };
  return { pending: pending.map((call) => (call.id === callId ? { ...call, class: changed } : call)) };
}

export function drop(context: Pending, ids: number[]): Pending {
  return { pending: without(context, ids) };
}

/**
 * A run is queued only at its beginning. The first event brings the input, so the context does not keep `queueMs`. A caller
 * that needs only the timer's name passes an event without input.
 */
export function queueTimer(init: object) {
  const { input } = init as { input?: { limits: Pick<RunLimits, 'queueMs'> } };
  return { id: 'queue', event: 'timer.queue', delayMs: input?.limits.queueMs ?? Number.NaN } as const;
}

export function confirmTimer({ limits }: Pick<CallsContext, 'limits'>) {
  return { id: 'confirm', event: 'timer.confirm', delayMs: limits.confirmMs } as const;
}

export function reconcileTimer({ limits }: Pick<CallsContext, 'limits'>) {
  return { id: 'reconcile', event: 'timer.reconcile', delayMs: limits.reconcileMs } as const;
}
