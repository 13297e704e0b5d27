import { isPausing } from '../../../machines/job.rules.ts';
import type { JobContext } from '../../../machines/job.types.ts';
import type { Fact } from '../../engine/machine.ts';
import { DetentError } from '../../protocol/error.ts';
import type { RunView } from '../../protocol/views.ts';
import { taintOfRun } from '../../runs/rows.ts';
import type { RunRow } from '../../store/rows.ts';
import { failureOf, type SlotEnd, slotEnded } from '../machine/job-facts.ts';
import { type JobEffect, slotRunId } from '../machine/job-run.ts';
import { ask } from '../machine/statements.ts';
import { alertNow } from './alert-now.ts';
import { awaitEnd } from './await-end.ts';
import { slotRunOf } from './slot-prompt.ts';
import type { WorkParts } from './work-parts.ts';

/** The key of the limiter that bounds how many runs of jobs are at work in this process. */
export const roomKey = 'run';

/** How long a cancellation waits for the run of a slot to exist. */
const [lookEveryMs, looks] = [50, 200];

/**
 * Starts the run of a slot, or finds the one that an earlier attempt has started, and waits for its end, however long that
 * takes. A process that takes the job over waits for the same run.
 */
export async function runSlot(parts: WorkParts, job: JobEffect): Promise<Fact> {
  const { store, room, tell } = parts;
  const { tenant } = job.run;
  const { jobId, key } = job.options;
  const n = Number(job.params.n);
  const runId = slotRunId(key, n);
  const found = await store.query('loadRun', { tenant, id: runId });
  if (!found && room.isFull(roomKey)) await uncount(parts, job);
  // An existing run is at work already, so it needs no room.
  const leave = found ? () => {} : await room.acquire(roomKey, job.signal);
  let end: SlotEnd;
  try {
    end = await beginAndWait(parts, job, { runId, found, leave });
  } finally {
    leave();
  }
  const pausing = end.status === 'failed' ? failuresThatPause(job) : null;
  if (pausing !== null) await alertPaused(parts, job, end, pausing);
  tell?.({ ...{ tenant, jobId, type: 'ended', n }, ...end });
  if (pausing !== null) tell?.({ tenant, jobId, type: 'paused', n, failures: pausing });
  return slotEnded(job.effectId, end);
}

interface Beginning {
  runId: string;
  found: RunRow | undefined;
  /** Makes room for another run. */
  leave(): void;
}

async function beginAndWait(
  parts: WorkParts,
  job: JobEffect,
  { runId, found, leave }: Beginning,
): Promise<SlotEnd> {
  const { store, engine, runs, slotRuns, tell } = parts;
  const { tenant } = job.run;
  const [n, slot] = [Number(job.params.n), Number(job.params.slot)];
  if (!found && (await isStopping(parts, job))) return { runId: null, status: 'cancelled', error: null };
  try {
    if (found) {
      await uncount(parts, job);
      await engine.adopt(found.session);
    } else await slotRuns.start(await slotRunOf({ store, runs }, job, runId));
  } catch (error) {
    if (!DetentError.is(error)) throw error;
    return { runId: null, status: 'failed', error: failureOf(error) };
  }
  tell?.({ tenant, jobId: job.options.jobId, type: 'began', n, slot, runId });
  await job.note({ event: { type: 'fire.started', n, runId } });
  if (!(await awaitEnd(parts, job, { runId, rests: leave })))
    return {
      runId,
      status: 'cancelled',
      error: { code: 'RUN_DELETED', message: `run ${runId} was deleted` },
    };
  return endOf(await runs.view(tenant, runId));
}

function endOf({ runId, status, outcome, error }: RunView): SlotEnd {
  if (status === 'done') return { runId, status: 'ok', error: null };
  if (status === 'cancelled') return { runId, status, error: null };
  const failure = error ?? { code: outcome ?? 'FAILED', message: `the run ended as ${outcome ?? status}` };
  return { runId, status: 'failed', error: { code: failure.code, message: failure.message } };
}

/** The failures in a row, when one more pauses the job; null when it does not. */
function failuresThatPause({ context: { definition, halt, failures } }: JobEffect): number | null {
  return halt === null && isPausing(definition, failures + 1) ? failures + 1 : null;
}

/**
 * Alerts when failures pause the job: its `alert` targets, or where its results go if it has none. A file keeps its last result. The
 * alert about the `alertAfter`th failure says it itself when that failure pauses the job.
 */
async function alertPaused(
  parts: WorkParts,
  job: JobEffect,
  { runId, error }: SlotEnd,
  failures: number,
): Promise<void> {
  const { alert, alertAfter, deliver } = job.context.definition;
  if (alert.length > 0 && failures === alertAfter) return;
  const targets = alert.length > 0 ? alert : deliver.filter(({ kind }) => kind !== 'file');
  const run =
    runId === null ? undefined : await parts.store.query('loadRun', { tenant: job.run.tenant, id: runId });
  const tainted = run ? await taintOfRun(parts.store, run) : [];
  const cause = { status: 'paused', runId, text: '', error, failures, tainted } as const;
  await alertNow(parts, job, targets, { ...cause, at: Date.now() });
}

/** Whether the slot was cancelled while it waited for room. */
async function isStopping({ store }: WorkParts, { run, params }: JobEffect): Promise<boolean> {
  const row = await store.query('loadRun', { tenant: run.tenant, id: run.id });
  const firing = row && (JSON.parse(row.context) as JobContext).firing;
  return firing?.n === Number(params.n) && firing.stopping;
}

/** A crash while the effect waits for a run or for room is not the effect's fault, so the attempt does not count. */
async function uncount({ store }: WorkParts, { run, effectId, attempt }: JobEffect): Promise<void> {
  if (attempt < 2) return;
  const place = { run: run.pk, n: effectId };
  await store.commit(function* () {
    const effect = yield* ask('findEffect', place);
    if (effect && effect.attempt > 1) yield* ask('uncountAttempt', { ...place, fence: effect.fence });
  });
}

/** Cancels the run of a slot, also one that is about to begin. */
export async function stopSlot({ store, runs }: WorkParts, job: JobEffect): Promise<Fact> {
  const { tenant } = job.run;
  const runId = slotRunId(job.options.key, Number(job.params.n));
  for (let i = 0; i < looks && !job.signal.aborted; i++) {
    if (await store.query('loadRun', { tenant, id: runId })) {
      await runs.cancel(tenant, runId, 'the next slot of its job came due');
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  return { event: { type: 'fire.stopped', effectId: job.effectId } };
}
