import type { JobDefinition, SkipReason, SlotsFound } from '../../../machines/job.types.ts';
import { shortHash } from '../../text/ids.ts';
import { type MissedReason, misfire, patienceMs } from '../times/misfire.ts';
import { timetableOf } from '../times/next-times.ts';
import type { Zones } from '../times/zone.ts';

/** The slots of a job between two times; milliseconds. */
interface SlotsAsked {
  /** Random, the same for all slots of the job. */
  key: string;
  after: number;
  until: number;
  /** Why a slot that is too late does not run. */
  missedAs: SkipReason;
}

/** As in the event. `next` is the first one after `upTo`, and when it begins. */
type DueSlots = Pick<SlotsFound, 'upTo' | 'fire' | 'skipped' | 'counted' | 'next' | 'madeUpTo' | 'more'>;

/** Slots that one answer has, at most: a transition writes a row of each. */
const page = { skipping: 500, firing: 100 };
/** Slots that one answer is about, at most: while they are computed, the process does nothing else. */
const longest = 5_000;

/**
 * The due slots of a job, each with whether it runs or why it is skipped, and the next slot.
 *
 * If many slots do not run, those that the job would not keep are only counted.
 *
 * @param zones what was learned of time zones
 */
export function slotsOf(definition: JobDefinition, asked: SlotsAsked, zones: Zones): DueSlots {
  const { key, after, until, missedAs } = asked;
  const { schedule, graceMs, windowMs, jitterMs, keep } = definition;
  // During a pause nothing runs, whatever the policy is.
  const policy = missedAs === 'paused' ? 'skip' : definition.misfire;
  const skipping = keep <= page.skipping ? longest : page.skipping;
  const size = policy === 'all' ? page.firing : skipping;
  const timetable = timetableOf(schedule, zones);
  const due: number[] = [];
  for (let at = timetable.next(after); at !== null && at <= until; at = timetable.next(at)) {
    due.push(at);
    if (due.length > size) break;
  }
  const more = due.length > size;
  const promptMs = jitterMs + patienceMs;
  // Several slots at once: no process ran the schedule when the first of them came. The grace is then that of the newest.
  const lateMs = until - (due[0] ?? until);
  const isBehind = missedAs !== 'paused' && due.length > 1 && lateMs > promptMs;
  const tolerantMs = graceMs + jitterMs;
  const decided = misfire(isBehind && policy === 'skip' && lateMs <= tolerantMs ? 'once' : policy, {
    dueMs: due,
    nowMs: until,
    // Slots of a paused job are never in time.
    thresholdMs: missedAs === 'paused' ? -1 : isBehind ? Math.min(tolerantMs, promptMs) : tolerantMs,
    ...(windowMs !== null && { windowMs: isBehind ? Math.max(windowMs, tolerantMs) : windowMs }),
  });
  // The extra slot shows that more follow. It is computed again with them.
  const upTo = more ? (due.at(-2) ?? until) : until;
  // After the clock was set back, its time is before the recorded slots.
  const next = more ? null : timetable.next(Math.max(after, until));
  const fire = decided.fire.filter((slot) => slot <= upTo);
  const missed = decided.missed.filter(({ slotMs }) => slotMs <= upTo);
  const counted = countedOf(missed, fire, keep);
  return {
    upTo,
    fire,
    skipped: missed
      .slice(counted)
      .map(({ slotMs, reason }) => ({ slot: slotMs, reason: skipReason(reason, missedAs) })),
    counted,
    next: next === null ? null : { slot: next, at: next + jitterOf(key, next, jitterMs) },
    ...(isBehind && policy === 'all' && { madeUpTo: until - promptMs }),
    more,
  };
}

/** How many of the slots that do not run have `keep` others behind them, and none that runs before them. */
function countedOf(missed: readonly { slotMs: number }[], fire: readonly number[], keep: number): number {
  const [first = Number.POSITIVE_INFINITY] = fire;
  const before = missed.filter(({ slotMs }) => slotMs < first).length;
  return Math.max(0, Math.min(before, missed.length + fire.length - keep));
}

function skipReason(reason: MissedReason, missedAs: SkipReason): SkipReason {
  if (missedAs === 'paused') return 'paused';
  if (reason === 'skipped') return missedAs;
  return reason === 'combined' ? 'coalesced' : 'too_old';
}

/** How much later than its time a slot begins: the same in each process. */
function jitterOf(key: string, slot: number, jitterMs: number): number {
  if (jitterMs === 0) return 0;
  return Number.parseInt(shortHash(`${key} ${slot}`), 36) % (jitterMs + 1);
}
