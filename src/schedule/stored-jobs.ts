import type { Halt, JobCommand, JobContext, JobDefinition } from '../../machines/job.types.ts';
import type { Clock } from '../engine/clock.ts';
import { noteEffect } from '../engine/commit.ts';
import type { Engine } from '../engine/engine.ts';
import { pathOf } from '../engine/machine.ts';
import { defaultAgent, type Reach } from '../protocol/access.ts';
import { DetentError } from '../protocol/error.ts';
import { ask as askOfRuns, findRow, type OfRequest, type Store as RunsStore } from '../runs/rows.ts';
import type { Runs } from '../runs/runs.ts';
import { type DeliveryRow, type FireRow, type JobWithRun, noDriver } from '../store/rows.ts';
import { type JobRunOptions, jobMachineId } from '../store/stored-run.ts';
import { randomId } from '../text/ids.ts';
import { didYouMean, shellWord } from '../text/wording.ts';
import type { JobWorker, SlotRuns } from './job-host.ts';
import { jobLane, jobRunId } from './machine/job-run.ts';
import { ask, type Store, tell } from './machine/statements.ts';
import { withSlot } from './times/slot-text.ts';

/** A job as its rows say. */
export interface StoredJob {
  row: JobWithRun;
  /** The dotted state of its machine. */
  path: string;
  context: JobContext;
  /** Whether a live process moves it now. Between its slots none does. */
  isDriven: boolean;
  /** Whether a live process that runs the schedule moves it, or watches over it between its slots. */
  isAttended: boolean;
}

export interface NewJob extends OfRequest {
  tenant: number;
  id: string;
  user: string | null;
  source: string;
  definition: JobDefinition;
  halt: Halt | null;
  /** Slots after this time count. */
  from: number;
}

interface StoredJobsOptions {
  store: Store & RunsStore;
  clock: Clock;
  engine: Engine;
  runs: Pick<Runs, 'send' | 'cancel'>;
  worker: Pick<JobWorker, 'takesJobs'>;
  slotRuns: Pick<SlotRuns, 'check'>;
  /** The name that the log shows for the cancellation of a removed job's run. */
  actor: string;
}

/** The user and the bounds of a caller that reads jobs. */
interface Viewer {
  /** Only jobs of this user; null for those of any. */
  user: string | null;
  /** Only jobs of these agents and workflows. */
  reach: Reach | undefined;
}

/** How long an earlier run of a job can still be read after the job has moved to its next run. */
const keptLeftMs = 3_600_000;
/** Runs that one commit deletes: others wait for it. */
const leftPage = 10;

/** The jobs of a database. */
export class StoredJobs {
  readonly #options: StoredJobsOptions;

  constructor(options: StoredJobsOptions) {
    this.#options = options;
  }

  /** Checks what a job names. The input of a workflow is checked as a slot of now would give it. @throws as `SlotRuns.check`. */
  async check(tenant: number, definition: JobDefinition): Promise<void> {
    const { slotRuns, clock } = this.#options;
    await slotRuns.check(tenant, { ...definition, input: withSlot(definition.input ?? null, clock.now()) });
  }

  /** @throws DetentError `JOB_EXISTS`. */
  async create({ tenant, id, user, source, definition, halt, from, requestId }: NewJob): Promise<void> {
    const key = randomId('job');
    const runId = jobRunId(key, 1);
    const options: JobRunOptions = { machine: jobMachineId, jobId: id, key, user };
    const made = await this.#options.engine.create({
      tenant,
      id: runId,
      sessionKey: jobLane(id),
      user,
      input: { definition, from, ...(halt && { halt }) },
      options: { ...options },
      isLeft: true,
      *writes({ at, row }) {
        if (yield* ask('findJob', { tenant, id })) throw exists(id);
        yield* tell('insertJob', {
          tenant,
          id,
          user,
          key,
          source,
          run: row.pk,
          runId,
          createdAt: at,
          updatedAt: at,
        });
        yield* noteEffect(tenant, requestId, id);
      },
    });
    if (this.#options.worker.takesJobs) await this.#options.engine.drive({ session: made.row.session });
  }

  /**
   * Delivers a command, whichever process has the job. False if the job does not take it now. A commit for a request notes the job's
   * id.
   *
   * @throws DetentError `NO_JOB`, `DRIVER_SILENT`.
   */
  async command(
    tenant: number,
    id: string,
    event: JobCommand,
    { requestId }: OfRequest = {},
  ): Promise<boolean> {
    const { row } = await this.get(tenant, id);
    const run = await findRow(this.#options.store, tenant, row.runId);
    // The job continues in a new run that no process has begun yet.
    if (run.seq === 0) await this.#options.runs.send(run, { type: 'job.start' });
    const noted = requestId === undefined ? {} : { notes: { requestId, effect: id } };
    const kind = await this.#options.runs.send(run, { ...event }, noted);
    // The job moved to another run meanwhile.
    if (kind === 'ended' && (await this.find(tenant, id))?.row.runId !== row.runId)
      return this.command(tenant, id, event, { requestId });
    // Its statechart threw repeatedly, so the command can only change its rows.
    if (kind === 'ended' && event.type === 'job.remove')
      return this.#options.store.commit(function* () {
        if ((yield* ask('deleteJob', { tenant, id })) === 0) return false;
        yield* noteEffect(tenant, requestId, id);
        return true;
      });
    if (kind === 'moved' && event.type !== 'job.remove')
      await this.#options.store.commit(() => ask('touchJob', { tenant, id, at: this.#options.clock.now() }));
    return kind === 'moved';
  }

  /** Removes a job with its record, and cancels the run of its slot. */
  async remove(tenant: number, { row, context }: StoredJob, request?: OfRequest): Promise<void> {
    const { runs, actor } = this.#options;
    const runId = context.firing?.runId ?? null;
    await this.command(tenant, row.id, { type: 'job.remove' }, request);
    if (runId !== null) await runs.cancel(tenant, runId, 'its job was removed', actor).catch(() => false);
  }

  async find(tenant: number, id: string): Promise<StoredJob | null> {
    const row = await this.#options.store.query('findJob', { tenant, id });
    return row ? this.#stored(row) : null;
  }

  /** @throws DetentError `NO_JOB`. */
  async get(tenant: number, id: string): Promise<StoredJob> {
    const found = await this.find(tenant, id);
    if (found) return found;
    throw noJob(id);
  }

  /** The job, if it is there and the viewer may see it. */
  async findFor({ user, reach }: Viewer, tenant: number, id: string): Promise<StoredJob | null> {
    const job = await this.find(tenant, id);
    if (!job || (user !== null && job.row.user !== user)) return null;
    return reachesJob(reach, job.context.definition) ? job : null;
  }

  async list(
    tenant: number,
    { user = null, after = '', limit }: { user?: string | null; after?: string; limit: number },
  ): Promise<StoredJob[]> {
    const { store } = this.#options;
    const rows =
      user === null
        ? await store.query('listJobs', { tenant, after, limit })
        : await store.query('listUserJobs', { tenant, user, after, limit });
    return rows.map((row) => this.#stored(row));
  }

  /** Looks for due work at once, and deletes earlier runs that jobs left some time ago. */
  async look(): Promise<void> {
    const { engine, store, clock } = this.#options;
    await engine.look();
    const before = clock.now() - keptLeftMs;
    for (;;) {
      const left = await store.query('listLeftJobRuns', { before, limit: leftPage });
      if (left.length === 0) return;
      await store.commit(function* () {
        for (const { pk, session } of left) {
          yield* askOfRuns('deleteRun', { run: pk });
          const others = yield* askOfRuns('listRunsOf', { session, limit: 1 });
          if (others.length === 0) yield* askOfRuns('deleteSession', { session });
        }
      });
    }
  }

  /** The slots of a job with numbers below, newest first. */
  async fires(tenant: number, job: string, below: number, limit: number): Promise<FireRow[]> {
    return this.#options.store.query('listFires', { tenant, job, below, limit });
  }

  /** How many deliveries of the kept slots of a job were given up. */
  async lost(tenant: number, job: string): Promise<number> {
    return (await this.#options.store.query('countLost', { tenant, job }))?.lost ?? 0;
  }

  async deliveries(tenant: number, job: string, n: number): Promise<DeliveryRow[]> {
    return this.#options.store.query('listDeliveries', { tenant, job, n });
  }

  #stored(row: JobWithRun): StoredJob {
    const engine = this.#options.engine;
    const isLive = (driver: number | null) =>
      driver !== null && (driver === engine.me || engine.isDrivenElsewhere({ driver }));
    const isDriven = row.driver !== noDriver && isLive(row.driver);
    return {
      row,
      path: pathOf(JSON.parse(row.state)),
      context: JSON.parse(row.context) as JobContext,
      isDriven,
      isAttended: isDriven || (row.driver === noDriver && isLive(row.lastDriver)),
    };
  }
}

/** Whether a job is of an agent or a workflow within the reach. */
export function reachesJob(
  reach: Reach | undefined,
  { agent, workflow }: Pick<JobDefinition, 'agent' | 'workflow'>,
): boolean {
  if (workflow !== undefined) return reach?.workflows?.includes(workflow) ?? true;
  return reach?.agents?.includes(agent ?? defaultAgent) ?? true;
}

/** The error for an id that no job of the caller has; `others` are the ids of the caller's jobs. */
export function noJob(jobId: string, others: readonly string[] = []): DetentError {
  return new DetentError(
    'NO_JOB',
    `there is no job "${jobId}"${didYouMean(jobId, others)}; "detent cron list" lists the existing jobs`,
    { details: { jobId } },
  );
}

function exists(id: string): DetentError {
  return new DetentError(
    'JOB_EXISTS',
    `there is a job "${id}" already; change it with: detent cron update ${shellWord(id)}`,
    {
      details: { jobId: id },
    },
  );
}
