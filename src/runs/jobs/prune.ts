import type { Fact } from '../../engine/machine-host.ts';
import { fireRunId } from '../../records/job-run.ts';
import { isWorkflowRun } from '../../records/workflow-run.ts';
import type { Program } from '../../store/program.ts';
import type { FireRow, RunRow } from '../../store/rows.ts';
import { removeRun } from '../remove-run.ts';
import { ask, type Store as RunsStore } from '../statements.ts';
import type { JobEffect } from './job-effect.ts';
import { ask as askOfJobs, type Store } from './statements.ts';

/** Takes deleted runs out of the index of conversations. */
export type Forget = (tenant: number, runs: readonly string[]) => Promise<void>;

interface PruneOptions {
  store: Store & RunsStore;
  forget: Forget;
}

/** Slots without a run, and slots with one, that one commit deletes: others wait for it. */
const [bare, whole] = [200, 10];
/** A run of a job that it has left can be read for so long. */
const keptLeftMs = 3_600_000;

/**
 * Deletes the slots up to the number `upTo` that have ended, each with its deliveries and its run. It may be done again: a
 * slot goes in one commit with all that it has.
 *
 * Some stay until a later time: the slot of `spare`, whose result prompts may have; a slot with a delivery or a run under
 * way; a slot whose run has the newest summary of the conversation.
 */
export async function prune({ store, forget }: PruneOptions, job: JobEffect): Promise<Fact> {
  const { upTo, spare } = job.params;
  const below = Number(upTo) + 1;
  for (let after = 0; after < below && !job.signal.aborted; ) {
    const page = await store.query('listOldFires', { ...placeOf(job), after, below, limit: bare });
    if (page.length === 0) break;
    const removable = page.filter(({ n }) => n !== spare);
    for (const fires of commitsOf(removable)) {
      const changed = await store.commit(() => removeFires(job, fires));
      if (changed.length > 0) await forget(job.run.tenant, changed);
    }
    after = page.at(-1)?.n ?? below;
  }
  return { event: { type: 'slots.pruned', effectId: job.effectId } };
}

/** Deletes runs of jobs that went on in another run some time ago, or were removed. */
export async function removeLeftRuns(store: RunsStore, now: number): Promise<void> {
  const before = now - keptLeftMs;
  for (;;) {
    const left = await store.query('listLeftJobRuns', { before, limit: whole });
    if (left.length === 0) return;
    await store.commit(function* () {
      for (const row of left) {
        yield* ask('deleteRun', { run: row.pk });
        const others = yield* ask('listRunsOf', { session: row.session, limit: 1 });
        if (others.length === 0) yield* ask('deleteSession', { session: row.session });
      }
    });
  }
}

function* commitsOf(fires: readonly FireRow[]): Generator<FireRow[]> {
  let next: FireRow[] = [];
  for (const fire of fires) {
    next.push(fire);
    if (next.filter(({ runId }) => runId !== null).length >= whole) {
      yield next;
      next = [];
    }
  }
  if (next.length > 0) yield next;
}

/** @returns the runs that the index must not have as they were */
function* removeFires(job: JobEffect, fires: readonly FireRow[]): Program<string[]> {
  const changed: string[] = [];
  let last: RunRow | undefined;
  for (const { n } of fires) {
    // Also when the slot does not name it: the process that started it may have died.
    const row = yield* ask('loadRun', { tenant: job.run.tenant, id: fireRunId(job.options.key, n) });
    const gone = row ? yield* removeRunOfSlot(row) : [];
    if (gone === null) continue;
    changed.push(...gone);
    last = row ?? last;
    yield* askOfJobs('deleteFire', { ...placeOf(job), n });
  }
  return last ? [...changed, ...(yield* runBehind(last))] : changed;
}

/** Null if it must stay. */
function* removeRunOfSlot(row: RunRow): Program<string[] | null> {
  const summary = yield* ask('lastSummary', { session: row.session });
  // The prompts to come begin with it.
  if (summary?.run === row.pk) return null;
  const removed = yield* removeRun(row);
  // The run of a workflow has a session of its own.
  if (removed && isWorkflowRun(row)) yield* ask('deleteSession', { session: row.session });
  return removed;
}

/** The next run of its session: with it, the index has the end of what was said before. */
function* runBehind({ tenant, session, pk }: RunRow): Program<string[]> {
  const next = yield* ask('firstUserMessage', { session, from: pk + 1, to: Number.MAX_SAFE_INTEGER });
  if (!next) return [];
  const [mark] = yield* ask('listRunMarks', { tenant, after: next.run - 1, limit: 1 });
  return mark?.pk === next.run ? [mark.id] : [];
}

function placeOf({ run, options }: JobEffect): { tenant: number; job: string } {
  return { tenant: run.tenant, job: options.jobId };
}
