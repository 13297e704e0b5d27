/** JSON that the machine passes on without reading it. */
type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/**
 * The rules that a cron expression is read by. `unix`: crontab, as croner and cron-parser read it. `quartz`: the scheduler of Java.
 * `robfig`: robfig/cron of Go, which Kubernetes uses.
 */
export const cronDialects = ['unix', 'quartz', 'robfig'] as const;
export type CronDialect = (typeof cronDialects)[number];

/** When a job is due; times are milliseconds. */
export type JobSchedule =
  | { kind: 'cron'; expression: string; dialect: CronDialect; timeZone: string }
  /** Every so often, counted from `anchorMs`. */
  | { kind: 'every'; everyMs: number; anchorMs: number }
  /** Once. */
  | { kind: 'at'; atMs: number };

/** What happens with slots that were missed: none of them runs, the last one runs, or each runs. */
export const misfirePolicies = ['skip', 'once', 'all'] as const;
export type MisfirePolicy = (typeof misfirePolicies)[number];

/** What happens with a slot that is due while the run of an earlier one is at work. */
export const overlapPolicies = ['skip', 'queue', 'cancel-previous'] as const;
type OverlapPolicy = (typeof overlapPolicies)[number];

/** Where the result of a run goes. */
export type JobTarget =
  | { kind: 'console' }
  /** Relative to the workspace; it may name `{{slot}}`. */
  | { kind: 'file'; path: string }
  | { kind: 'session'; session: string }
  /** `secretEnv` names the variable with the secret that signs it. */
  | { kind: 'webhook'; url: string; secretEnv?: string };

/** A checked job. */
export interface JobDefinition {
  schedule: JobSchedule;
  /** Empty for a job that starts a workflow. */
  prompt: string;
  /** The workflow that each slot starts, in place of an agent. */
  workflow?: string;
  /** Of the workflow. Its texts may have `{{slot}}`. */
  input?: Json;
  agent: string | null;
  /** Of each run. Null, and absent in jobs of earlier versions: as its agent says. */
  model?: string | null;
  /**
   * The session that its runs share; null when each has one of its own. Absent in jobs of earlier versions, whose runs share the one
   * that is named after the job.
   */
  session?: string | null;
  skill: string | null;
  deliver: JobTarget[];
  misfire: MisfirePolicy;
  /** A slot that begins no later than this after its time is on time. */
  graceMs: number;
  /** A missed slot older than this never runs. Null for any age. */
  windowMs: number | null;
  overlap: OverlapPolicy;
  /** A slot begins up to this much later, so that many jobs do not begin at once. */
  jitterMs: number;
  /** Pauses the job after so many failures in a row; null for never. */
  pauseAfter: number | null;
  /** Tells `alert` after so many failures in a row; null for never. */
  alertAfter: number | null;
  alert: JobTarget[];
  /** How many of its last slots are kept, each with its run and deliveries. */
  keep: number;
  /** Limits of each run, as a request has them. */
  limits: { [key: string]: Json } | null;
  budget: string | null;
  /** Attempts at one delivery. */
  attempts: number;
  /** What its runs may do at most, if an agent made the job. The machine does not read it. */
  bounds?: { [key: string]: Json };
}

/** `slot`: its time came. `manual`: a person or program asked for it. */
export type FireKind = 'slot' | 'manual';

/** A slot that is to run: `n` counts the job's slots. */
export interface Fire {
  n: number;
  /** Its time. */
  slot: number;
  kind: FireKind;
}

/** The slot at work. */
interface Firing extends Fire {
  effectId: number;
  /** Null until its run is known. */
  runId: string | null;
  /** Whether its run is being cancelled. */
  stopping: boolean;
}

/** What a row of a delivery is named by. */
export type DeliveryKey = Pick<OpenDelivery, 'n' | 'target' | 'isAlert'>;

/** A delivery that has not ended. */
export interface OpenDelivery {
  /** The slot's number. */
  n: number;
  /** Place in the list of targets. */
  target: number;
  isAlert: boolean;
  attempt: number;
  /** Null between attempts. */
  effectId: number | null;
  /** When the next attempt is due; 0 during one. */
  dueAt: number;
}

/** Why a slot did not run. */
export type SkipReason =
  /** No process ran the schedule at its time. */
  | 'missed'
  /** As `missed`: of several such slots only the newest counts. */
  | 'coalesced'
  /** As `missed`, and too old to be made up for. */
  | 'too_old'
  | 'overlap'
  /** A later slot took its place in the queue. */
  | 'replaced'
  | 'queue_full'
  | 'paused'
  | 'disabled'
  | 'updated';

export type SkippedSlot = {
  slot: number;
  reason: SkipReason;
};

/** How the run of a slot ended. */
export type FireStatus = 'ok' | 'failed' | 'cancelled';

export interface JobFailure {
  code: string;
  message: string;
}

/** The last run that ended. */
interface LastResult {
  n: number;
  slot: number;
  status: FireStatus;
  error: JobFailure | null;
  at: number;
  /** How many of its deliveries were given up. */
  lost: number;
}

/** Where a job stands still: until a person or program lets it go on. */
export interface Halt {
  as: 'paused' | 'disabled';
  reason: string;
}

export interface JobContext {
  definition: JobDefinition;
  /** Counts the changes of the definition. */
  revision: number;
  effectCount: number;
  /** Number of the last slot. */
  count: number;
  /** All slots up to this time are on record. */
  cursor: number;
  /** The effect that computes the next slots; null for none. */
  planning: number | null;
  /** The next slot, and when it begins. `none`: there is no other. Null: not known yet. */
  next: { slot: number; at: number } | 'none' | null;
  waiting: Fire[];
  firing: Firing | null;
  deliveries: OpenDelivery[];
  /** Failures in a row. */
  failures: number;
  last: LastResult | null;
  /** Number of the last slot whose run ended well: prompts may have its result. */
  lastGood: number | null;
  /** All slots up to this number that have ended are deleted, but for those that are still needed. */
  pruned: number;
  /** The effect that deletes old slots; null for none. */
  pruning: number | null;
  halt: Halt | null;
  /** Slots on record since this run of the job began. */
  turns: number;
  end: 'removed' | 'folded' | 'failed' | null;
}

/** What the host makes a job's run with. */
export interface JobInput {
  definition: JobDefinition;
  /** Slots after this time count. */
  from: number;
  /** A job that begins disabled. */
  halt?: Halt;
  /** The context of the run that this one goes on from. */
  carried?: JobContext;
}

export interface JobOutput {
  end: 'removed' | 'folded' | 'failed';
}

/** The slots that have come due, as the host computes them. */
export interface SlotsFound {
  type: 'slots.found';
  effectId: number;
  /** Of the definition that they were computed for. */
  revision: number;
  /** All slots up to this time are in `fire`, in `skipped`, or on record. */
  upTo: number;
  /** These run, in order. */
  fire: number[];
  skipped: SkippedSlot[];
  /** How many came before all of these, did not run, and are counted only: their rows would be deleted at once. */
  counted: number;
  next: { slot: number; at: number } | null;
  /** Slots up to this time are made up for although they are within the grace: no process ran the schedule when they came. */
  madeUpTo?: number;
  /** Runs that have not begun are overlapped by no slot. Absent in events of earlier versions, which folded otherwise. */
  overlaps?: 'begun';
  /** There are more slots up to now than one event has. */
  more: boolean;
}

/** A command of a person or a program to a job. */
export type JobCommand =
  | { type: 'job.update'; definition: JobDefinition }
  | { type: 'job.run' }
  /** Tries a delivery again that was given up. */
  | { type: 'job.redeliver'; n: number; target: number; isAlert: boolean }
  | { type: 'job.pause'; reason: string }
  | { type: 'job.resume' }
  | { type: 'job.enable' }
  | { type: 'job.disable'; reason: string }
  | { type: 'job.remove' };

type Fact =
  | SlotsFound
  | { type: 'slots.failed'; effectId: number; error: JobFailure }
  | { type: 'fire.started'; n: number; runId: string }
  | {
      type: 'fire.ended';
      effectId: number;
      runId: string | null;
      status: FireStatus;
      error: JobFailure | null;
      /** A failure that ends by itself: it does not count among the failures in a row. */
      isSpared?: true;
    }
  | { type: 'fire.stopped'; effectId: number }
  | { type: 'slots.pruned'; effectId: number }
  | { type: 'delivery.done'; effectId: number }
  /** `delayMs`: until the next attempt; null for an error that no repeat mends. */
  | { type: 'delivery.failed'; effectId: number; error: JobFailure; delayMs: number | null };

export type JobEvent = (
  | { type: 'job.start' }
  | JobCommand
  | Fact
  | { type: 'timer.slot' }
  | { type: 'timer.delivery' }
  | { type: 'job.resumed'; lastAt: number }
  | { type: 'effect.poisoned'; effectId: number }
  | { type: 'job.faulted'; code: string; message: string }
) & { at: number };
