import type {
  Fire,
  JobContext,
  JobDefinition,
  JobEvent,
  JobFailure,
  JobInput,
  JobTarget,
  OpenDelivery,
  SkippedSlot,
  SkipReason,
} from './job.types.ts';

export type EventOf<T extends JobEvent['type']> = Extract<JobEvent, { type: T }>;

/** Slots that wait for the run of an earlier one, at most. */
export const maxWaiting = 100;
/** After so many slots the job goes on in a new run, so that its log stays short. */
export const turnsPerRun = 100;
/** Slots that are not kept any more, and not deleted yet, at most. */
const maxUnpruned = 20;
/** Why a job without another slot stands still. */
export const finished = 'it has no other time';

export function newContext({ definition, from, halt, carried }: JobInput): JobContext {
  if (carried)
    return { ...carried, effectCount: 0, planning: null, pruning: null, next: null, turns: 0, end: null };
  return {
    definition,
    revision: 1,
    effectCount: 0,
    count: 0,
    cursor: from,
    planning: null,
    next: null,
    waiting: [],
    firing: null,
    deliveries: [],
    failures: 0,
    last: null,
    lastGood: null,
    pruned: 0,
    pruning: null,
    halt: halt ?? null,
    turns: 0,
    end: null,
  };
}

/** Whether the next slot must be computed. A halted job needs none. */
export function mustPlan({ halt, planning, next, waiting }: JobContext): boolean {
  return halt === null && planning === null && next === null && waiting.length < maxWaiting;
}

/**
 * The slots that are not kept any more: all up to this number. Null while there are few of them, so that not each slot
 * makes work; a tenth more than asked for is kept until then.
 */
export function notKept(context: JobContext): number | null {
  const { definition, count, pruned, pruning, planning, turns } = context;
  const last = count - definition.keep;
  const few = Math.min(definition.keep / 10, maxUnpruned);
  // A job that is about to go on in a new run does it there: else it would never be quiet.
  const isEnding = turns >= turnsPerRun && planning === null;
  return pruning === null && !isEnding && last > 0 && last - pruned > few ? last : null;
}

/** Whether nothing is performed but attempts that wait. */
export function isQuiet({ planning, pruning, firing, deliveries }: JobContext): boolean {
  return (
    planning === null &&
    pruning === null &&
    firing === null &&
    deliveries.every(({ effectId }) => effectId === null)
  );
}

/** What the slots of a fact become: those that wait to run, those that do not run, and whether the run at work is cancelled. */
interface Admitted {
  waiting: Fire[];
  added: Fire[];
  skipped: (SkippedSlot & { n: number })[];
  /** Numbers of slots that waited, and lost their place. */
  replaced: number[];
  stops: boolean;
  count: number;
}

/** A slot that is on time meets the overlap policy; one that is made up for waits in any case. */
export function admit(
  context: JobContext,
  { fire, skipped, counted, madeUpTo = 0, overlaps, at }: EventOf<'slots.found'>,
): Admitted {
  const { definition, halt, firing } = context;
  const admitted: Admitted = {
    waiting: [...context.waiting],
    added: [],
    skipped: [],
    replaced: [],
    stops: false,
    count: context.count + counted,
  };
  const skip = (slot: number, reason: SkipReason) => {
    admitted.skipped.push({ n: ++admitted.count, slot, reason });
  };
  const add = (slot: number) => {
    if (admitted.waiting.length >= maxWaiting) return skip(slot, 'queue_full');
    const added: Fire = { n: ++admitted.count, slot, kind: 'slot' };
    admitted.waiting.push(added);
    admitted.added.push(added);
  };
  /** A run that somebody asked for, and that no process has begun, is in nobody's way; nor is a slot that came with this one to be made up for. */
  const isInTheWay = ({ kind, runId = null }: { kind: Fire['kind']; runId?: string | null }) =>
    overlaps !== 'begun' || kind === 'slot' || runId !== null;
  const isAtWork = firing !== null && isInTheWay(firing);
  const meet = (slot: number) => {
    const isOnTime = slot > madeUpTo && slot >= at - definition.graceMs - definition.jitterMs;
    const ahead = overlaps === 'begun' && definition.misfire === 'all' ? context.waiting : admitted.waiting;
    const isBusy = isAtWork || ahead.some(isInTheWay);
    if (halt) return skip(slot, halt.as);
    if (!isOnTime || !isBusy || definition.overlap === 'queue') return add(slot);
    if (definition.overlap === 'skip') return skip(slot, 'overlap');
    const { kept, dropped } = withoutSlots(admitted.waiting);
    admitted.waiting = kept;
    admitted.replaced.push(...dropped);
    admitted.stops = isAtWork && !firing.stopping;
    add(slot);
  };
  // In the order of their times, so that their numbers are, too.
  const all = [
    ...fire.map((slot) => ({ slot, reason: null })),
    ...skipped.map(({ slot, reason }) => ({ slot, reason })),
  ].sort((a, b) => a.slot - b.slot);
  for (const { slot, reason } of all) reason === null ? meet(slot) : skip(slot, reason);
  return admitted;
}

/** The queue without slots: what people asked for stays. */
export function withoutSlots(waiting: readonly Fire[]): { kept: Fire[]; dropped: number[] } {
  return {
    kept: waiting.filter(({ kind }) => kind === 'manual'),
    dropped: waiting.filter(({ kind }) => kind === 'slot').map(({ n }) => n),
  };
}

/** The job after the run of its slot. A cancelled run says nothing about the job. */
export function settled(context: JobContext, { status, error, at, isSpared }: Ended): Partial<JobContext> {
  const { firing, failures, halt, definition, lastGood, pruned } = context;
  if (firing === null) return {};
  const isCounted = status === 'failed' && isSpared !== true;
  const inARow = isCounted ? failures + 1 : status === 'ok' ? 0 : failures;
  const isTooMany = isCounted && isPausing(definition, inARow);
  return {
    firing: null,
    failures: inARow,
    last: { n: firing.n, slot: firing.slot, status, error, at, lost: 0 },
    ...(status === 'ok' && {
      lastGood: firing.n,
      // The one before may have been kept for its result alone.
      pruned: lastGood === null ? pruned : Math.min(pruned, lastGood - 1),
    }),
    turns: context.turns + 1,
    halt: halt === null && isTooMany ? { as: 'paused', reason: failuresInARow(inARow) } : halt,
  };
}

/** Whether so many failures in a row pause a job. */
export function isPausing({ pauseAfter }: JobDefinition, failures: number): boolean {
  return pauseAfter !== null && failures >= pauseAfter;
}

interface Ended {
  status: 'ok' | 'failed' | 'cancelled';
  error: JobFailure | null;
  at: number;
  isSpared?: true;
}

function failuresInARow(count: number): string {
  return count === 1 ? 'its last run failed' : `its last ${count} runs failed`;
}

/** Whether a job was paused for this reason because of its failures. */
export function isOfFailures(reason: string): boolean {
  return /^its last (?:run|\d+ runs) failed$/.test(reason);
}

/**
 * The deliveries that the end of a run begins. A failed run is told to consoles and webhooks: a file or a session gets
 * results only.
 */
export function deliveriesOf(
  context: JobContext,
  status: Ended['status'],
  failures: number,
): Omit<OpenDelivery, 'effectId'>[] {
  const { definition, firing } = context;
  if (firing === null || status === 'cancelled') return [];
  const takes = ({ kind }: JobTarget) => status === 'ok' || kind === 'console' || kind === 'webhook';
  const open = (targets: readonly JobTarget[], isAlert: boolean) =>
    targets.flatMap((target, i) =>
      isAlert || takes(target) ? [{ n: firing.n, target: i, isAlert, attempt: 1, dueAt: 0 }] : [],
    );
  const isAlarming = status === 'failed' && failures === definition.alertAfter;
  return [...open(definition.deliver, false), ...(isAlarming ? open(definition.alert, true) : [])];
}

/** The last result, of which one more delivery (or, with -1, one less) was given up. */
export function withLost({ last }: JobContext, n: number, more: 1 | -1): Pick<JobContext, 'last'> {
  return { last: last?.n === n ? { ...last, lost: Math.max(0, last.lost + more) } : last };
}

/** When the next attempt at a delivery is due; null if none waits. */
export function nextAttempt(deliveries: readonly OpenDelivery[]): number | null {
  const waiting = deliveries.filter(({ effectId }) => effectId === null).map(({ dueAt }) => dueAt);
  return waiting.length > 0 ? Math.min(...waiting) : null;
}

/** Whether a delivery may be tried again: not while it is on its way, nor before the run of its slot has ended. */
export function mayRedeliver(
  { count, waiting, firing, deliveries }: JobContext,
  { n, target, isAlert }: EventOf<'job.redeliver'>,
): boolean {
  const isOpen = deliveries.some(
    (delivery) => delivery.n === n && delivery.target === target && delivery.isAlert === isAlert,
  );
  return !isOpen && n <= count && n !== firing?.n && waiting.every((fire) => fire.n !== n);
}

/** The effects that the job waits for. */
export function awaitedEffects({ planning, pruning, firing, deliveries }: JobContext): number[] {
  return [planning, pruning, firing?.effectId, ...deliveries.map(({ effectId }) => effectId)].filter(
    (id) => typeof id === 'number',
  );
}

export function isDelivery({ deliveries }: JobContext, event: JobEvent): boolean {
  return 'effectId' in event && deliveries.some(({ effectId }) => effectId === event.effectId);
}

export function isPlan({ planning }: JobContext, event: JobEvent): boolean {
  return 'effectId' in event && planning !== null && event.effectId === planning;
}

export function isPruning({ pruning }: JobContext, event: JobEvent): boolean {
  return 'effectId' in event && pruning !== null && event.effectId === pruning;
}

export function isFiring({ firing }: JobContext, event: JobEvent): boolean {
  return 'effectId' in event && firing !== null && event.effectId === firing.effectId;
}
