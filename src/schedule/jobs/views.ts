import { finished } from '../../../machines/job.rules.ts';
import type { JobDefinition, JobFailure, JobTarget, SkipReason } from '../../../machines/job.types.ts';
import type { FireView, JobState, JobView, RunStatus } from '../../protocol/views.ts';
import type { DeliveryRow, FireRow } from '../../store/rows.ts';
import { boundsOf, sharedSession, slotSession } from '../machine/job-run.ts';
import type { StoredJob } from '../stored-jobs.ts';
import { inWords } from '../times/in-words.ts';
import { patienceMs } from '../times/misfire.ts';
import { nextSlotAt, nextTimes } from '../times/next-times.ts';
import { partsOf } from '../times/schedule-parts.ts';
import type { Zones } from '../times/zone.ts';
import { stillness } from './stillness.ts';

const timesShown = 3;

/** Where the run of a slot stands. */
export interface RunStanding {
  status: RunStatus;
  /** It does not wait for a person: its workflow waits for an event or for the clock. */
  waitsForEvent?: true;
  /** A person of the staff has its session: it begins when they give it back. */
  waitsForStaff?: true;
}

interface Looks {
  now: number;
  zones: Zones;
  standingOf(runId: string): Promise<RunStanding | null>;
  lostOf(job: string): Promise<number>;
}

export async function jobView(job: StoredJob, looks: Looks): Promise<JobView> {
  const { row, path, context, isAttended } = job;
  const { firing, halt, waiting, deliveries, failures, last } = context;
  const { bounds: _, session: _shared, ...definition } = context.definition;
  const runId = firing?.runId ?? null;
  const isFlow = definition.workflow !== undefined;
  const standing = runId === null ? null : await looks.standingOf(runId);
  const status = standing?.status ?? null;
  return {
    ...definition,
    model: definition.model ?? null,
    isTainted: (boundsOf(context.definition)?.tainted.length ?? 0) > 0,
    jobId: row.id,
    state: stateOf(job, status, looks),
    ...stillness(path, halt?.reason ?? null),
    isAttended,
    words: inWords(definition.schedule),
    parts: partsOf(definition.schedule),
    next: halt !== null || row.ended ? [] : upcoming(definition, looks),
    last,
    current: firing && {
      n: firing.n,
      slot: firing.slot,
      kind: firing.kind,
      runId,
      sessionId: runId === null || isFlow ? null : slotSession(row.id, context.definition, runId),
      status,
      ...waits(standing),
    },
    queued: waiting.length,
    failures,
    undelivered: deliveries.length,
    lost: await looks.lostOf(row.id),
    sessionId: isFlow ? null : sharedSession(row.id, context.definition),
    userId: row.user,
    source: row.source,
    jobRunId: row.runId,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

function waits(standing: RunStanding | null): Omit<RunStanding, 'status'> {
  const { status: _, ...waits } = standing ?? { status: null };
  return waits;
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
  // Its slots up to now are not recorded yet.
  if (context.halt) return isFinished(context, looks) ? 'finished' : context.halt.as;
  return isLeft && nextSlotAt(context, looks.zones) < looks.now - patienceMs ? 'overdue' : 'scheduled';
}

/** A person may give the same reason for a job that has times. */
function isFinished({ halt, definition }: StoredJob['context'], looks: Looks): boolean {
  return halt?.as === 'disabled' && halt.reason === finished && upcoming(definition, looks).length === 0;
}

export async function fireView(
  row: FireRow,
  deliveries: readonly DeliveryRow[],
  { jitterMs }: Pick<JobDefinition, 'jitterMs'>,
  looks: Looks,
): Promise<FireView> {
  const { n, slot, kind, status, reason, runId, error, begunAt, endedAt } = row;
  const lateMs = (begunAt ?? slot) - slot;
  const standing = status === 'running' && runId !== null ? await looks.standingOf(runId) : null;
  return {
    n,
    slot,
    kind: kind === 'manual' ? 'manual' : 'slot',
    // Its run is asked for, and no process has begun it.
    status: status === 'waiting' || (status === 'running' && runId === null) ? 'queued' : status,
    reason: reason as SkipReason | null,
    runId,
    runStatus: standing?.status ?? null,
    ...waits(standing),
    error: failure(error),
    begunAt,
    lateMs: kind === 'slot' && lateMs > jitterMs + patienceMs ? lateMs : null,
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
