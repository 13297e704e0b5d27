import { type MisfirePolicy, misfirePolicies } from '../../../machines/job.types.ts';
import { oneOf } from '../../protocol/json.ts';

/** A process that runs the schedule finds a slot within this time: one that is found later came while none did. */
export const patienceMs = 5_000;

const quartzNames: ReadonlyMap<string, MisfirePolicy> = new Map([
  ['do_nothing', 'skip'],
  ['fire_once_now', 'once'],
  ['ignore_misfires', 'all'],
]);

/**
 * A policy as people write it; the names of Quartz are taken, too.
 *
 * @throws DetentError `INVALID_SCHEDULE`.
 */
export function misfirePolicyOf(word: unknown): MisfirePolicy {
  const named = typeof word === 'string' ? quartzNames.get(word.toLowerCase()) : undefined;
  return named ?? oneOf(word, misfirePolicies, 'misfire', 'INVALID_SCHEDULE');
}

/**
 * Why a slot did not fire. `skipped`: the policy skips missed slots. `combined`: the newest missed slot fires for it.
 * `expired`: it is older than the window.
 */
export type MissedReason = 'skipped' | 'combined' | 'expired';

interface DueSlots {
  /** All slots that are due and have not fired, in order. */
  readonly dueMs: readonly number[];
  readonly nowMs: number;
  /** How late a slot may be and still be in time. */
  readonly thresholdMs: number;
  /** How old a slot may be to fire late; without it, any age. */
  readonly windowMs?: number | undefined;
}

interface Misfire {
  /** The slots that fire now, in order. */
  readonly fire: readonly number[];
  readonly missed: readonly { readonly slotMs: number; readonly reason: MissedReason }[];
}

/**
 * Which due slots fire and which are recorded as missed: each is in one of the lists. As in Quartz, the policy decides as
 * soon as the oldest due slot is later than the threshold; until then every slot fires.
 */
export function misfire(policy: MisfirePolicy, { dueMs, nowMs, thresholdMs, windowMs }: DueSlots): Misfire {
  const [oldest] = dueMs;
  if (oldest === undefined || nowMs - oldest <= thresholdMs) return { fire: dueMs, missed: [] };
  const newest = dueMs.at(-1);
  const reasonOf = (slotMs: number): MissedReason | null => {
    if (policy === 'skip') return 'skipped';
    if (windowMs !== undefined && nowMs - slotMs > windowMs) return 'expired';
    return policy === 'all' || slotMs === newest ? null : 'combined';
  };
  const fire: number[] = [];
  const missed: { slotMs: number; reason: MissedReason }[] = [];
  for (const slotMs of dueMs) {
    const reason = reasonOf(slotMs);
    if (reason === null) fire.push(slotMs);
    else missed.push({ slotMs, reason });
  }
  return { fire, missed };
}
