import type { FireStatus, JobFailure, JobTarget, SkipReason } from '../../machines/job.types.ts';
import type { Reach } from '../protocol/access.ts';
import type { JobChange, JobInput, MethodOutput, ScheduleFields } from '../protocol/methods.ts';
import type { FireView, JobView } from '../protocol/views.ts';
import type { OfRequest } from '../runs/rows.ts';

/** The owner of the jobs that are read. Default: tenant 1, and any user of it. */
export interface JobScope {
  tenantId?: number;
  /** Only jobs of this user; a new job is for them. */
  userId?: string | null;
  /** Only jobs of these agents and workflows. */
  reach?: Reach;
}

/** The owner of a job that is made or changed. */
export interface JobRequest extends JobScope, OfRequest {}

/**
 * Something that happened to a job, for people to read. After a crash it may be reported again; the rows of the slots
 * are the truth.
 */
export type Happening = { tenant: number; jobId: string } & (
  | { type: 'began'; n: number; slot: number; runId: string }
  | { type: 'ended'; n: number; runId: string | null; status: FireStatus; error: JobFailure | null }
  /** Its failures pause it, this one included. */
  | { type: 'paused'; n: number; failures: number }
  | { type: 'skipped'; n: number; slot: number; reason: SkipReason }
  /** A `target` that is a file has the name that it has for this slot. */
  | { type: 'delivered'; n: number; target: JobTarget; isAlert: boolean }
  /** `again`: milliseconds until the next attempt; null when there is none. */
  | {
      type: 'undelivered';
      n: number;
      target: JobTarget;
      isAlert: boolean;
      error: JobFailure;
      attempt: number;
      again: number | null;
    }
);

/** The ids of declared jobs that came, changed and went. */
export interface Reconciled {
  made: string[];
  changed: string[];
  removed: string[];
}

export interface SchedulerOptions {
  /** The time zone of expressions that name none. Default: that of the machine. */
  timeZone?: string;
  /**
   * Jobs that the program declares, as a configuration file does: `reconcile`, and `start`, make them, change them, and remove
   * those that are not declared any more. Default: nothing is declared, and nothing removed.
   */
  jobs?: readonly JobInput[];
  /**
   * Gets the results of jobs that deliver to the console, as the model wrote them. Default: `console.log`, with what would act on a
   * terminal made visible.
   *
   * @param of the slot that it is the result of, or that an alert is about
   */
  print?: (text: string, of: { tenant: number; jobId: string; n: number; slot: number }) => void;
  /** Default: the clock of the Detent. */
  now?: () => number;
  /** Is called when something happens to a job in this process while it runs the schedule. */
  tell?: (happening: Happening) => void;
  /**
   * How many runs of jobs may be at work in this process at once; slots beyond it wait for their turn. Runs that wait for a
   * person do not count. Default: 16.
   */
  concurrency?: number;
  webhooks?: {
    /**
     * Hosts, addresses and networks that webhooks may call although they are not public: `hooks.corp.example`, `10.1.0.0/16`.
     * Default: `webhooks.allowHosts` of the configuration.
     */
    allowHosts?: readonly string[];
    /** How long one attempt may take. Default: 15,000. */
    timeoutMs?: number;
  };
}

/** The scheduled jobs of a Detent, and the schedule that runs them in this process. Times are milliseconds since the epoch. */
export interface Scheduler {
  /**
   * Makes a job. Throws `INVALID_JOB`, `INVALID_CRON`, `INVALID_SCHEDULE`, `UNKNOWN_TIME_ZONE`, `JOB_EXISTS`.
   *
   * @param source who declares it: `user` (default), `config`, `tool`
   */
  add(job: JobInput, scope?: JobRequest & { source?: string }): Promise<JobView>;
  /** In the order of their ids. Default: the first 100. */
  list(filter?: JobScope & { after?: string; limit?: number }): Promise<JobView[]>;
  /** Throws `NO_JOB`. */
  get(jobId: string, scope?: JobScope): Promise<JobView>;
  /** Changes the fields that are given. A run at work ends as it began. Throws as `add`, and `NO_JOB`. */
  update(jobId: string, change: JobChange, scope?: JobRequest): Promise<JobView>;
  /** Slots from now on count again. Throws `INVALID_SCHEDULE` for a job without a time to come. */
  enable(jobId: string, scope?: JobRequest): Promise<JobView>;
  /** From now on it has no slots. A run at work goes on. */
  disable(jobId: string, reason?: string, scope?: JobRequest): Promise<JobView>;
  /** Its slots are recorded, and none runs. */
  pause(jobId: string, reason?: string, scope?: JobRequest): Promise<JobView>;
  resume(jobId: string, scope?: JobRequest): Promise<JobView>;
  /** Removes a job with its record, and cancels its run. The conversation of its runs stays. */
  remove(jobId: string, scope?: JobRequest): Promise<void>;
  /** Runs it once now, after a run at work. Throws `QUEUE_FULL`. */
  run(jobId: string, scope?: JobRequest): Promise<JobView>;
  /** Its slots, newest first. Default: the last 20. */
  history(jobId: string, page?: { below?: number; limit?: number }, scope?: JobScope): Promise<FireView[]>;
  /**
   * Retries the deliveries of a slot that were given up. Returns how many; deliveries that have arrived or are under
   * way stay as they are. Throws `NO_JOB`, `NO_SLOT`.
   */
  redeliver(jobId: string, n: number, scope?: JobScope): Promise<number>;
  /** Its next times, also while it is paused or disabled. */
  next(jobId: string, count?: number, scope?: JobScope): Promise<number[]>;
  /**
   * The meaning of a schedule before a job has it. Throws `INVALID_JOB`, `INVALID_CRON`, `INVALID_SCHEDULE`,
   * `UNKNOWN_TIME_ZONE`.
   */
  preview(
    schedule: ScheduleFields,
    options?: { from?: number; count?: number },
  ): MethodOutput<'cron.preview'>;
  /**
   * Brings the jobs of tenant 1 in line with the declared ones; returns which it made, changed and removed. Throws
   * `INVALID_JOB`, also when a person or program made a job of the same id, and as `add`; then no job is written.
   *
   * @param how `isDry`: changes nothing, and only returns that. `removes: false` leaves those that are not declared any
   * more.
   */
  reconcile(how?: { isDry?: boolean; removes?: boolean }): Promise<Reconciled>;
  /**
   * Reconciles the declared jobs, runs the schedule in this process from now on, and takes over the unfinished runs that no
   * process drives. Any number of
   * processes may do so: each slot runs once.
   */
  start(): Promise<void>;
  /** This process runs no more slots. Runs at work go on; the Detent stays open. */
  close(): Promise<void>;
}
