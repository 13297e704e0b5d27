import type {
  FireKind,
  FireStatus,
  JobContext,
  JobDefinition,
  JobFailure,
  JobTarget,
  SkippedSlot,
  SkipReason,
} from '../../../machines/job.types.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type { JobBounds } from '../../records/job-run.ts';
import type { StoredTaint } from '../../records/messages.ts';
import type { JobWithRun } from '../../store/rows.ts';
import type { Limiter } from '../../text/limiter.ts';

/** A job as its rows say. */
export interface StoredJob {
  row: JobWithRun;
  /** The dotted state of its machine. */
  path: string;
  context: JobContext;
  /** Whether a process that lives moves it now. Between its slots none does. */
  isDriven: boolean;
}

/** The slots of a job between two times; milliseconds. */
export interface SlotsAsked {
  /** Random, the same for all slots of the job. */
  key: string;
  after: number;
  until: number;
  /** Why a slot that is too late does not run. */
  missedAs: SkipReason;
}

export interface SlotsFound {
  /** All slots up to this time are in `fire` or `skipped`. */
  upTo: number;
  /** In order. */
  fire: number[];
  skipped: SkippedSlot[];
  /** How many came before all of these, did not run, and are not kept. */
  counted: number;
  /** The first one after `upTo`, and when it begins. Null when there is none. */
  next: { slot: number; at: number } | null;
  /** Whether there are more up to `until` than one answer has. */
  more: boolean;
}

/** A result on its way. */
export interface DeliveryAsked {
  /** The same for each attempt: a receiver that gets it twice knows it by this. */
  id: string;
  target: JobTarget;
  isAlert: boolean;
  tenant: number;
  jobId: string;
  user: string | null;
  /** The slot's number. */
  n: number;
  slot: number;
  /** When its run ended, or began to wait. */
  endedAt: number;
  kind: FireKind;
  /** Of alerts also `waiting`: the run waits for a person; and `paused`: failures pause the job. */
  status: 'ok' | 'failed' | 'cancelled' | 'waiting' | 'paused';
  runId: string | null;
  /** The last answer of the run; empty without one. */
  text: string;
  /** The sources of untrusted text in it. */
  tainted: readonly StoredTaint[];
  error: { code: string; message: string } | null;
  /** In a row, this one included. */
  failures: number;
  attempt: number;
  /** Whether the result of a later slot has arrived at the same target. */
  isOvertaken(): Promise<boolean>;
  signal: AbortSignal;
}

/** What performs the steps of jobs. */
export interface JobWork {
  start: StartFire;
  /** How many runs may be at work at once. */
  room: Limiter;
  /** Pure. @throws DetentError when the schedule cannot be read. */
  slots(definition: JobDefinition, asked: SlotsAsked): SlotsFound;
  /** @throws DetentError; a retryable one has the delivery tried again. */
  deliver(delivery: DeliveryAsked): Promise<void>;
  /** What agents ask of jobs; left out, they cannot ask it. */
  desk?: JobDesk;
  /** Gets what happens with jobs in this process, for people to read. It must not throw. */
  tell?(happening: Happening): void;
}

/** What agents ask of jobs of a user, checked as what people write is. Null: of no user in particular. */
export interface JobDesk {
  /** @throws DetentError `JOB_EXISTS`, `INVALID_JOB`, `INVALID_CRON`, … */
  add(written: object, tenant: number, user: string | null, bounds: JobBounds): Promise<ShownJob>;
  list(tenant: number, user: string | null): Promise<ShownJob[]>;
  show(job: StoredJob, tenant: number): Promise<ShownJob>;
  /** False if the user has no such job. */
  remove(jobId: string, tenant: number, user: string | null): Promise<boolean>;
}

/** The part of a job's view that agents read. */
export interface ShownJob {
  jobId: string;
  prompt: string;
  words: string;
  next: number[];
  state: string;
  why: string | null;
  isTainted: boolean;
}

/** Something that happened with a job. The rows of its slots are what counts; after a crash it may be told again. */
export type Happening = { tenant: number; jobId: string } & (
  | { type: 'began'; n: number; slot: number; runId: string }
  | { type: 'ended'; n: number; runId: string | null; status: FireStatus; error: JobFailure | null }
  | { type: 'skipped'; n: number; slot: number; reason: SkipReason }
  | { type: 'delivered'; n: number; target: JobTarget; isAlert: boolean }
  | { type: 'undelivered'; n: number; target: JobTarget; isAlert: boolean; error: JobFailure }
);

/** The run of a slot. */
export interface FireRequest {
  tenant: number;
  user: string | null;
  jobId: string;
  definition: JobDefinition;
  /** With the time of its slot and the last result filled in. */
  prompt: string;
  /** Of a workflow, with the time of its slot filled in. */
  input: JsonValue;
  /** The id that the run gets. */
  runId: string;
  /** The sources of untrusted text in the prompt. */
  tainted: readonly StoredTaint[];
}

/** Starts the run of a slot. @throws DetentError as any start. */
export type StartFire = (request: FireRequest) => Promise<void>;
