import type {
  FireKind,
  FireStatus,
  JobDefinition,
  JobFailure,
  JobTarget,
  LastResult,
  SkipReason,
} from '../../machines/job.types.ts';
import type { RunStatus } from './run-view.ts';
import type { ScheduleParts } from './schedule-parts.ts';

/**
 * What a job does now. `waiting`: its run waits for a person, or for an event of its workflow. `interrupted`: no process drives its run. `overdue`: something
 * of it is due, and no process runs the schedule. `finished`: it has no other time. `failed`: its statechart threw.
 */
export type JobState =
  | 'scheduled'
  | 'overdue'
  | 'running'
  | 'waiting'
  | 'interrupted'
  | 'delivering'
  | 'paused'
  | 'disabled'
  | 'finished'
  | 'failed';

/** A job, as programs and people see it. Times are milliseconds since the epoch. */
export interface JobView extends Omit<JobDefinition, 'bounds'> {
  jobId: string;
  state: JobState;
  /** Why it is paused, disabled, finished or has failed; null else. */
  why: string | null;
  /** The schedule in English. */
  words: string;
  /** The same for other languages; null for a single moment. */
  parts: ScheduleParts | null;
  /** The next times; none while it is paused or disabled. */
  next: number[];
  last: LastResult | null;
  /** The slot at work. `waitsForEvent`: it waits for no person; its workflow waits for an event, or for the clock. */
  current: {
    n: number;
    slot: number;
    kind: FireKind;
    runId: string | null;
    status: RunStatus | null;
    waitsForEvent?: true;
  } | null;
  /** Slots that wait for it. */
  queued: number;
  /** Failures in a row. */
  failures: number;
  /** Deliveries that have not arrived yet, and are tried again. `last.lost` has those of the last run that were given up. */
  undelivered: number;
  /** The session of its runs. */
  sessionId: string;
  userId: string | null;
  /** Whether an agent wrote its prompt that had read untrusted text. */
  isTainted: boolean;
  /** Who declared it: `user`, `config`, `tool`. */
  source: string;
  /** The run of its own statechart. */
  jobRunId: string;
  createdAt: number;
  updatedAt: number;
}

/** A slot of a job: a time at which it ran, or did not. */
export interface FireView {
  n: number;
  slot: number;
  kind: FireKind;
  status: 'queued' | 'running' | FireStatus | 'skipped';
  /** Why it did not run. */
  reason: SkipReason | null;
  runId: string | null;
  /** Of its run while that is at work. */
  runStatus: RunStatus | null;
  /** As in `JobView.current`. */
  waitsForEvent?: true;
  error: JobFailure | null;
  begunAt: number | null;
  endedAt: number | null;
  deliveries: DeliveryView[];
}

/** `pending`: it is under way, or tried again. `dead`: given up. */
export type DeliveryStatus = 'pending' | 'delivered' | 'dead';

/** The way of a result to a target. Whether it arrived says nothing about the run. */
export interface DeliveryView {
  target: JobTarget;
  isAlert: boolean;
  status: DeliveryStatus;
  attempts: number;
  error: JobFailure | null;
  /** When the next attempt is due. */
  dueAt: number | null;
}
