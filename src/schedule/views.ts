import { finished } from '../../machines/job.rules.ts';
import type {
  FireKind,
  FireStatus,
  JobDefinition,
  JobFailure,
  JobTarget,
  LastResult,
  SkipReason,
} from '../../machines/job.types.ts';
import type { RunStatus } from '../protocol/run-view.ts';
import { boundsOf } from '../records/job-run.ts';
import type { StoredJob } from '../runtime/api/jobs.ts';
import type { DeliveryRow, FireRow } from '../store/rows.ts';
import { inWords } from './times/in-words.ts';
import { nextTimes } from './times/next-times.ts';
import type { Zones } from './times/zone.ts';

/**
 * What a job does now. `waiting`: its run waits for a person. `interrupted`: no process drives its run. `overdue`: something
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
  /** The next times; none while it is paused or disabled. */
  next: number[];
  last: LastResult | null;
  /** The slot at work. */
  current: { n: number; slot: number; kind: FireKind; runId: string | null; status: RunStatus | null } | null;
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
  error: JobFailure | null;
  begunAt: number | null;
  endedAt: number | null;
  deliveries: DeliveryView[];
}

/** The way of a result to a target. Whether it arrived says nothing about the run. */
export interface DeliveryView {
  target: JobTarget;
  isAlert: boolean;
  status: DeliveryRow['status'];
  attempts: number;
  error: JobFailure | null;
  /** When the next attempt is due. */
  dueAt: number | null;
}

/** How long no process may take what is due until its job reads `overdue`. */
const patienceMs = 5_000;
const timesShown = 3;

interface Looks {
  now: number;
  zones: Zones;
  statusOf(runId: string): Promise<RunStatus | null>;
}

export async function jobView(job: StoredJob, looks: Looks): Promise<JobView> {
  const { row, path, context } = job;
  const { firing, halt, waiting, deliveries, failures, last } = context;
  const { bounds: _, ...definition } = context.definition;
  const runId = firing?.runId ?? null;
  const status = runId === null ? null : await looks.statusOf(runId);
  return {
    ...definition,
    isTainted: (boundsOf(context.definition)?.tainted.length ?? 0) > 0,
    jobId: row.id,
    state: stateOf(job, status, looks),
    why: path === 'failed' ? 'its statechart threw again and again' : (halt?.reason ?? null),
    words: inWords(definition.schedule),
    next: halt !== null || row.ended ? [] : upcoming(definition, looks),
    last,
    current: firing && { n: firing.n, slot: firing.slot, kind: firing.kind, runId, status },
    queued: waiting.length,
    failures,
    undelivered: deliveries.length,
    sessionId: `cron:${row.id}`,
    userId: row.user,
    source: row.source,
    jobRunId: row.runId,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

function upcoming({ schedule }: JobDefinition, { now, zones }: Looks): number[] {
  return nextTimes(schedule, { from: now, count: timesShown, zones });
}

function stateOf(
  { row, path, context, isDriven }: StoredJob,
  status: RunStatus | null,
  looks: Looks,
): JobState {
  if (path === 'disabled') return isFinished(context, looks) ? 'finished' : path;
  if (path === 'failed' || path === 'paused') return path;
  if (path === 'running') return status === 'waiting' || status === 'interrupted' ? status : 'running';
  const isLeft = !isDriven && row.movedAt < looks.now - patienceMs;
  if (path === 'starting') return isLeft ? 'overdue' : 'running';
  if (path === 'delivering') return isLeft ? 'overdue' : 'delivering';
  // Its slots up to now are not on record yet.
  if (context.halt) return isFinished(context, looks) ? 'finished' : context.halt.as;
  return isLeft && nextAt(context, looks) < looks.now - patienceMs ? 'overdue' : 'scheduled';
}

/** A person may give the same reason for a job that has times. */
function isFinished({ halt, definition }: StoredJob['context'], looks: Looks): boolean {
  return halt?.as === 'disabled' && halt.reason === finished && upcoming(definition, looks).length === 0;
}

/** When the next slot begins, also where no process has computed it yet. */
function nextAt({ next, cursor, definition }: StoredJob['context'], { zones }: Looks): number {
  if (next === 'none') return Number.POSITIVE_INFINITY;
  if (next !== null) return next.at;
  const [first] = nextTimes(definition.schedule, { from: cursor, count: 1, zones });
  return first ?? Number.POSITIVE_INFINITY;
}

export async function fireView(
  row: FireRow,
  deliveries: readonly DeliveryRow[],
  looks: Looks,
): Promise<FireView> {
  const { n, slot, kind, status, reason, runId, error, begunAt, endedAt } = row;
  return {
    n,
    slot,
    kind: kind === 'manual' ? 'manual' : 'slot',
    status: status === 'waiting' ? 'queued' : status,
    reason: reason as SkipReason | null,
    runId,
    runStatus: status === 'running' && runId !== null ? await looks.statusOf(runId) : null,
    error: failure(error),
    begunAt,
    endedAt,
    deliveries: deliveries.map(({ spec, isAlert, status, attempt, error, dueAt }) => ({
      target: JSON.parse(spec) as JobTarget,
      isAlert: isAlert === 1,
      status,
      attempts: attempt,
      error: failure(error),
      dueAt,
    })),
  };
}

function failure(error: string | null): JobFailure | null {
  return error === null ? null : (JSON.parse(error) as JobFailure);
}
