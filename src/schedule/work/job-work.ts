import { isPausing } from '../../../machines/job.rules.ts';
import type { JobContext } from '../../../machines/job.types.ts';
import type { Fact } from '../../engine/machine.ts';
import { DetentError } from '../../protocol/error.ts';
import type { RunView } from '../../protocol/views.ts';
import { taintOfRun, uncountAttempt } from '../../runs/rows.ts';
import type { JobDesk, JobWork } from '../job-host.ts';
import { failureOf, isSpared, noSlots, type SlotEnd, slotEnded } from '../machine/job-facts.ts';
import { type JobEffect, slotRunId } from '../machine/job-run.ts';
import { alertNow } from './alert-now.ts';
import { awaitEnd } from './await-end.ts';
import { slotsOf } from './due-slots.ts';
import { makeDelivery } from './make-delivery.ts';
import { prune } from './prune.ts';
import { slotRunOf } from './slot-prompt.ts';
import type { WorkParts } from './work-parts.ts';

/** The key of the limiter that bounds how many runs of jobs are at work in this process. */
export const roomKey = 'run';

/** How long a cancellation waits for the run of a slot to exist. */
const [lookEveryMs, looks] = [50, 200];

const noneFound = { fire: [], skipped: [], counted: 0, next: null, more: false };

/** Performs the effects of jobs. Loaded by the processes that run the schedule. */
export class ScheduleWork implements JobWork {
  readonly desk: JobDesk;
  readonly #parts: WorkParts;

  constructor(parts: WorkParts, desk: JobDesk) {
    this.#parts = parts;
    this.desk = desk;
  }

  tell(happening: Parameters<NonNullable<JobWork['tell']>>[0]): void {
    this.#parts.tell?.(happening);
  }

  plan({ params, options, context, effectId }: JobEffect): Fact {
    const { after, until, revision, missedAs } = params;
    // Asked before a change: the new schedule has no slots from before it.
    if (revision !== context.revision)
      return { event: { type: 'slots.found', effectId, revision, upTo: until, ...noneFound } };
    try {
      const asked = {
        key: options.key,
        after: Number(after),
        until: Number(until),
        missedAs: missedAs === 'paused' ? ('paused' as const) : ('missed' as const),
      };
      const found = slotsOf(context.definition, asked, this.#parts.zones);
      return { event: { type: 'slots.found', effectId, revision, overlaps: 'begun', ...found } };
    } catch (error) {
      return noSlots(effectId, error);
    }
  }

  /**
   * Starts the run of a slot, or finds the one that an earlier attempt has started, and waits for its end, however long that
   * takes. A process that takes the job over waits for the same run.
   */
  async fire(job: JobEffect): Promise<Fact> {
    const { store, room, engine, slotRuns } = this.#parts;
    const { tenant } = job.run;
    const [n, slot] = [Number(job.params.n), Number(job.params.slot)];
    const runId = slotRunId(job.options.key, n);
    const found = await store.query('loadRun', { tenant, id: runId });
    if (!found && room.isFull(roomKey)) await uncount(this.#parts, job);
    // An existing run is at work already, so it needs no room.
    const leave = found ? () => {} : await room.acquire(roomKey, job.signal);
    try {
      if (!found && (await isStopping(this.#parts, job)))
        return this.#ended(job, { runId: null, status: 'cancelled', error: null });
      try {
        if (found) {
          await uncount(this.#parts, job);
          await engine.adopt(found.session);
        } else await slotRuns.start(await slotRunOf(this.#parts, job, runId));
      } catch (error) {
        if (!DetentError.is(error)) throw error;
        return this.#ended(job, { runId: null, status: 'failed', error: failureOf(error) });
      }
      this.tell({ tenant, jobId: job.options.jobId, type: 'began', n, slot, runId });
      await job.note({ event: { type: 'fire.started', n, runId } });
      return this.#ended(job, await endOfRun(this.#parts, job, { runId, rests: leave }));
    } finally {
      leave();
    }
  }

  /** Cancels the run of a slot, also one that is about to begin. A slot that has ended without one needs nothing. */
  async stop(job: JobEffect): Promise<Fact> {
    const { store, runs } = this.#parts;
    const { tenant } = job.run;
    const runId = slotRunId(job.options.key, Number(job.params.n));
    for (let i = 0; i < looks && !job.signal.aborted; i++) {
      if (await store.query('loadRun', { tenant, id: runId })) {
        await runs.cancel(tenant, runId, 'the next slot of its job came due');
        break;
      }
      if (!(await isStopping(this.#parts, job))) break;
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
    return { event: { type: 'fire.stopped', effectId: job.effectId } };
  }

  deliver(job: JobEffect): Promise<Fact> {
    return makeDelivery(this.#parts, job);
  }

  prune(job: JobEffect): Promise<Fact> {
    return prune(this.#parts, job);
  }

  async #ended(job: JobEffect, end: SlotEnd): Promise<Fact> {
    const about = { tenant: job.run.tenant, jobId: job.options.jobId, n: Number(job.params.n) };
    const pausing = end.status === 'failed' && !isSpared(end.error) ? failuresThatPause(job) : null;
    if (pausing !== null) await alertPaused(this.#parts, job, end, pausing);
    this.tell({ ...about, type: 'ended', ...end });
    if (pausing !== null) this.tell({ ...about, type: 'paused', failures: pausing });
    return slotEnded(job.effectId, end);
  }
}

/** Waits for the end of the run of a slot. */
async function endOfRun(
  parts: WorkParts,
  job: JobEffect,
  awaited: Parameters<typeof awaitEnd>[2],
): Promise<SlotEnd> {
  const { runId } = awaited;
  if (await awaitEnd(parts, job, awaited)) return endOf(await parts.runs.view(job.run.tenant, runId));
  const error = { code: 'RUN_DELETED', message: `run ${runId} was deleted` };
  return { runId, status: 'cancelled', error };
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
  await alertNow(parts, job, targets, { ...cause, at: parts.now() });
}

/** Whether the slot is at work or waits for room, and was cancelled. */
async function isStopping({ store }: WorkParts, { run, params }: JobEffect): Promise<boolean> {
  const row = await store.query('loadRun', { tenant: run.tenant, id: run.id });
  const firing = row && (JSON.parse(row.context) as JobContext).firing;
  return firing?.n === Number(params.n) && firing.stopping;
}

/** A crash while the effect waits for a run or for room is not the effect's fault. */
async function uncount({ store }: WorkParts, { run, effectId, attempt }: JobEffect): Promise<void> {
  if (attempt > 1) await uncountAttempt(store, { run: run.pk, n: effectId });
}
