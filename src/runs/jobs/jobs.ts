import type { Halt, JobContext, JobDefinition, JobEvent } from '../../../machines/job.types.ts';
import type { Clock } from '../../engine/clock.ts';
import { pathOf } from '../../engine/decide.ts';
import type { Engine } from '../../engine/engine.ts';
import { DetentError } from '../../protocol/error.ts';
import { randomId } from '../../protocol/ids.ts';
import { type JobRunOptions, jobLane, jobMachineId, jobRunId } from '../../records/job-run.ts';
import { type DeliveryRow, type FireRow, type JobWithRun, noDriver } from '../../store/rows.ts';
import { noteEffect, type OfRequest } from '../keyed-requests.ts';
import type { Runs } from '../runs.ts';
import type { Store as RunsStore } from '../statements.ts';
import type { Happening, JobDesk, JobWork, StoredJob } from './job-work.ts';
import { removeLeftRuns } from './prune.ts';
import { ask, type Store } from './statements.ts';

/** What people and programs ask of a job. */
export type JobCommand =
  Extract<
    JobEvent,
    {
      type:
        | 'job.update'
        | 'job.run'
        | 'job.redeliver'
        | 'job.pause'
        | 'job.resume'
        | 'job.enable'
        | 'job.disable'
        | 'job.remove';
    }
  > extends infer E
    ? E extends { at: number }
      ? Omit<E, 'at'>
      : never
    : never;

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

interface JobsOptions {
  store: Store & RunsStore;
  clock: Clock;
  engine(): Engine;
  runs(): Pick<Runs, 'send'>;
}

/** Scheduled jobs: what programs ask of them, and what a process needs to run them. */
export class Jobs {
  readonly #options: JobsOptions;
  #work: JobWork | null = null;
  #takesJobs = false;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  /** What performs the steps of jobs in this process. @throws DetentError `NO_SCHEDULER`. */
  get work(): JobWork {
    if (this.#work) return this.#work;
    throw notScheduling();
  }

  /** Tells what happens with jobs, if this process runs the schedule. */
  tell(happening: Happening): void {
    this.#work?.tell?.(happening);
  }

  /** What agents of this process ask of jobs; null while it runs no schedule. */
  get desk(): JobDesk | null {
    return (this.#takesJobs && this.#work?.desk) || null;
  }

  get isAtWork(): boolean {
    return this.#takesJobs;
  }

  /**
   * Has this process perform the steps of jobs from now on. Once the returned function is called, it takes no job that is at
   * rest; those at work go on until they rest.
   */
  attach(work: JobWork): () => void {
    this.#work = work;
    this.#takesJobs = true;
    this.#options.engine().reconsider();
    return () => {
      if (this.#work === work) this.#takesJobs = false;
    };
  }

  /** Why this process must not move a job; null when it may. */
  whyRefused(): DetentError | null {
    return this.isAtWork ? null : notScheduling();
  }

  /** @throws DetentError `JOB_EXISTS`. */
  async create({ tenant, id, user, source, definition, halt, from, requestId }: NewJob): Promise<void> {
    const { store } = this.#options;
    if (await store.query('findJob', { tenant, id })) throw exists(id);
    const key = randomId('job');
    const runId = jobRunId(key, 1);
    const options: JobRunOptions = { machine: jobMachineId, jobId: id, key, user };
    const made = await this.#options.engine().create({
      tenant,
      id: runId,
      sessionKey: jobLane(id),
      user,
      input: { definition, from, ...(halt && { halt }) },
      options: { ...options },
      isLeft: true,
      *writes({ at, row }) {
        if (yield* ask('findJob', { tenant, id })) throw exists(id);
        yield* ask('insertJob', {
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
    if (this.isAtWork) await this.#options.engine().drive({ session: made.row.session });
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
    const run = await this.#options.store.query('loadRun', { tenant, id: row.runId });
    // A run that goes on from an earlier one, and that no process has begun yet.
    if (run?.seq === 0) await this.#options.runs().send(tenant, row.runId, { type: 'job.start' });
    const noted = requestId === undefined ? {} : { notes: { requestId, effect: id } };
    const kind = await this.#options.runs().send(tenant, row.runId, { ...event }, noted);
    // It went on in another run meanwhile.
    if (kind === 'ended' && (await this.find(tenant, id))?.row.runId !== row.runId)
      return this.command(tenant, id, event, { requestId });
    // Its statechart threw again and again: nothing but its rows is left.
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

  async find(tenant: number, id: string): Promise<StoredJob | null> {
    const row = await this.#options.store.query('findJob', { tenant, id });
    return row ? this.#stored(row) : null;
  }

  /** @throws DetentError `NO_JOB`. */
  async get(tenant: number, id: string): Promise<StoredJob> {
    const found = await this.find(tenant, id);
    if (found) return found;
    throw new DetentError(
      'NO_JOB',
      `there is no job "${id}"; "detent cron list" shows those that there are`,
      {
        details: { jobId: id },
      },
    );
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

  /** Looks at once what is due, and deletes what jobs have left behind. */
  async look(): Promise<void> {
    const { engine, store, clock } = this.#options;
    await engine().look();
    await removeLeftRuns(store, clock.now());
  }

  /** The slots of a job with numbers below, newest first. */
  async fires(tenant: number, job: string, below: number, limit: number): Promise<FireRow[]> {
    return this.#options.store.query('listFires', { tenant, job, below, limit });
  }

  async deliveries(tenant: number, job: string, n: number): Promise<DeliveryRow[]> {
    return this.#options.store.query('listDeliveries', { tenant, job, n });
  }

  #stored(row: JobWithRun): StoredJob {
    const engine = this.#options.engine();
    const isMine = row.driver !== null && row.driver === engine.me;
    return {
      row,
      path: pathOf(JSON.parse(row.state)),
      context: JSON.parse(row.context) as JobContext,
      isDriven: isMine || (row.driver !== noDriver && engine.isDrivenElsewhere(row)),
    };
  }
}

function exists(id: string): DetentError {
  return new DetentError(
    'JOB_EXISTS',
    `there is a job "${id}" already; change it with: detent cron update ${id}`,
    {
      details: { jobId: id },
    },
  );
}

function notScheduling(): DetentError {
  return new DetentError(
    'NO_SCHEDULER',
    'this program does not run the schedule; "detent serve" and "detent cron serve" do',
  );
}
