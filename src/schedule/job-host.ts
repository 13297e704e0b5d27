import { jobMachine, jobMachineVersion } from '../../machines/job.machine.ts';
import { awaitedEffects } from '../../machines/job.rules.ts';
import type { JobDefinition, SkippedSlot, SkipReason } from '../../machines/job.types.ts';
import { type CommitScope, type Fact, type MachineHost, PureMachine } from '../engine/machine.ts';
import { DetentError } from '../protocol/error.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { JobView } from '../protocol/views.ts';
import type { Program } from '../store/program.ts';
import type { StoredTaint } from '../store/stored-message.ts';
import { jobMachineId, jobOptionsOf } from '../store/stored-run.ts';
import type { Happening } from './api.ts';
import { deliveryFailed, failureOf, noSlots, slotEnded } from './machine/job-facts.ts';
import { foldJob, jobRows } from './machine/job-rows.ts';
import type { JobBounds, JobEffect, JobRun } from './machine/job-run.ts';
import { ask } from './machine/statements.ts';

/** The commands that people and programs may send to a job. */
const commands = [
  'job.update',
  'job.run',
  'job.redeliver',
  'job.pause',
  'job.resume',
  'job.enable',
  'job.disable',
  'job.remove',
] as const;

/** The job machine's host: writes its rows, and has its effects performed where the schedule runs. */
export function createJobHost(worker: JobWorker): MachineHost<JobRun> {
  // Only the chart knows all slots that did not run, since it skips some itself.
  const tellSkipped = ({ row }: CommitScope, slots: readonly (SkippedSlot & { n: number })[]) => {
    const about = { tenant: row.tenant, jobId: jobOptionsOf(row).jobId, type: 'skipped' as const };
    for (const { n, slot, reason } of slots) worker.tell({ ...about, n, slot, reason });
  };
  const again = () => 'perform' as const;
  const host: MachineHost<JobRun> = {
    id: jobMachineId,
    version: jobMachineVersion,
    machine: new PureMachine(jobMachine),
    awaited: awaitedEffects,
    commands: new Set(commands),
    startEvent: 'job.start',
    heldEffect: 'none',
    resumed: (lastAt) => ({ type: 'job.resumed', lastAt }),
    poisoned: (effectId) => ({ type: 'effect.poisoned', effectId }),
    faulted: (code, message) => ({ type: 'job.faulted', code, message }),
    possibleCommands: ({ definition }) =>
      commands.map((type) => ({ type, reason: '', ...(type === 'job.update' && { definition }) })),
    newCache: () => null,
    isParked: (snapshot) => snapshot.hasTag('waiting'),
    effects: {
      'effect.plan': {
        recover: again,
        perform: async (job) => worker.work.plan(job),
        failed: noSlots,
      },
      'effect.fire': {
        recover: again,
        perform: async (job) => worker.work.fire(job),
        failed: (effectId, error) =>
          slotEnded(effectId, { runId: null, status: 'failed', error: failureOf(error) }),
      },
      'effect.stop': {
        recover: again,
        perform: async (job) => worker.work.stop(job),
        failed: (effectId) => ({ event: { type: 'fire.stopped', effectId } }),
      },
      'effect.deliver': {
        recover: again,
        perform: async (job) => worker.work.deliver(job),
        failed: (effectId, error) => deliveryFailed(effectId, 1, error),
      },
      'effect.prune': {
        recover: again,
        perform: async (job) => worker.work.prune(job),
        // The next prune deletes the rest.
        failed: (effectId) => ({ event: { type: 'slots.pruned', effectId } }),
      },
    },
    rows: {
      ...jobRows,
      'slots.skip': (params, scope) => {
        tellSkipped(scope, (params as { slots: (SkippedSlot & { n: number })[] }).slots);
        return jobRows['slots.skip'](params, scope);
      },
      *'fire.drop'(params, scope) {
        const { ns, reason } = params as { ns: number[]; reason: SkipReason };
        const dropped = yield* slotsOf(scope, ns);
        yield* jobRows['fire.drop'](params, scope);
        tellSkipped(
          scope,
          dropped.map((fire) => ({ ...fire, reason })),
        );
      },
      'job.fold': (params, scope) => foldJob(host as MachineHost, params, scope),
    },
    *aborting() {},
  };
  return host;
}

function* slotsOf({ row }: CommitScope, ns: readonly number[]): Program<{ n: number; slot: number }[]> {
  const found: { n: number; slot: number }[] = [];
  for (const n of ns) {
    const fire = yield* ask('findFire', { tenant: row.tenant, job: jobOptionsOf(row).jobId, n });
    if (fire) found.push({ n, slot: fire.slot });
  }
  return found;
}

/** The run of a slot. */
export interface SlotRun {
  tenant: number;
  user: string | null;
  definition: JobDefinition;
  /** The bounds of the run; null for a job that a person or a program made. */
  bounds: JobBounds | null;
  /** The session of the run. */
  sessionId: string;
  /** With the time of its slot and the last result filled in. */
  prompt: string;
  /** Of a workflow, with the time of its slot filled in. */
  input: JsonValue;
  /** The id that the run gets. */
  runId: string;
  /** The sources of untrusted text in the prompt. */
  tainted: readonly StoredTaint[];
}

/** What a job names of the configuration. */
export type ConfiguredNames = Pick<JobDefinition, 'agent' | 'model' | 'budget'>;

/** What a job names. */
type JobNames = ConfiguredNames & Pick<JobDefinition, 'skill' | 'workflow' | 'input'>;

/** The interface of the schedule to the rooms above it, which know agents, workflows, budgets and skills. */
export interface SlotRuns {
  /**
   * @throws DetentError `UNKNOWN_AGENT`, `UNKNOWN_MODEL`, `UNKNOWN_BUDGET`, `UNKNOWN_SKILL`, `UNKNOWN_WORKFLOW` for what a job names;
   * `INVALID_INPUT` for what its workflow does not take.
   */
  check(tenant: number, names: JobNames): Promise<void>;
  /**
   * Starts the run of a slot. The run's id is its key: two processes that start it make one run.
   *
   * @throws DetentError `UNKNOWN_SKILL`, and as any start.
   */
  start(slot: SlotRun): Promise<void>;
}

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
    'this program does not run the schedule; start "detent serve" or "detent cron serve"',
  );
}
