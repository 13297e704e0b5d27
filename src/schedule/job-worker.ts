import type { Fact } from '../engine/machine-host.ts';
import { DetentError } from '../protocol/error.ts';
import type { JobView } from '../protocol/job-view.ts';
import type { Happening } from './api.ts';
import type { JobBounds, JobEffect } from './machine/job-run.ts';

/** What performs the effects of jobs in a process that runs the schedule. */
export interface JobWork {
  /** Finds the slots that are due. */
  plan(job: JobEffect): Fact;
  /** Runs a slot to its end. */
  fire(job: JobEffect): Promise<Fact>;
  /** Cancels the run of a slot. */
  stop(job: JobEffect): Promise<Fact>;
  /** Makes one attempt at a delivery. */
  deliver(job: JobEffect): Promise<Fact>;
  /** Deletes slots that are not kept. */
  prune(job: JobEffect): Promise<Fact>;
  /** The operations on jobs for agents. */
  readonly desk: JobDesk;
  /** Is called when something happens to a job in this process, for people to read. It must not throw. */
  tell?(happening: Happening): void;
}

/** The operations on a user's jobs for agents, with the same checks as for people. A null user means no user in particular. */
export interface JobDesk {
  /**
   * Makes a job. A call that is repeated after a crash gets the job that it made before.
   *
   * @throws DetentError `JOB_EXISTS`, `INVALID_JOB`, `INVALID_CRON`, …
   */
  add(written: object, tenant: number, user: string | null, bounds: JobBounds): Promise<JobView>;
  list(tenant: number, user: string | null): Promise<JobView[]>;
  /** False if the user has no such job. */
  remove(jobId: string, tenant: number, user: string | null): Promise<boolean>;
}

/** Knows whether this process runs the schedule, and which object performs its work. */
export class JobWorker {
  #work: JobWork | null = null;
  #takesJobs = false;

  /** What performs the effects of jobs in this process. @throws DetentError `NO_SCHEDULER`. */
  get work(): JobWork {
    if (this.#work) return this.#work;
    throw notScheduling();
  }

  /** The operations on jobs for agents of this process; null while it runs no schedule. */
  get desk(): JobDesk | null {
    return this.#takesJobs ? (this.#work?.desk ?? null) : null;
  }

  get takesJobs(): boolean {
    return this.#takesJobs;
  }

  /** Reports something that happened to a job, if this process runs the schedule. */
  tell(happening: Happening): void {
    this.#work?.tell?.(happening);
  }

  /**
   * From now on this process performs the effects of jobs. After the returned function is called, it takes no job that
   * is at rest; jobs at work continue until they rest.
   */
  begin(work: JobWork): () => void {
    this.#work = work;
    this.#takesJobs = true;
    return () => {
      if (this.#work === work) this.#takesJobs = false;
    };
  }

  /** Why this process must not move a job; null when it may. */
  whyRefused(): DetentError | null {
    return this.#takesJobs ? null : notScheduling();
  }
}

function notScheduling(): DetentError {
  return new DetentError(
    'NO_SCHEDULER',
    'this program does not run the schedule; "detent serve" and "detent cron serve" do',
  );
}
