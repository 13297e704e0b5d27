import type { Fact } from '../../engine/machine.ts';
import { ask, removeRun } from '../../runs/rows.ts';
import type { Program } from '../../store/program.ts';
import type { FireRow, RunRow } from '../../store/rows.ts';
import { isOwnSlotSession, isWorkflowRun } from '../../store/stored-run.ts';
import { type JobEffect, slotRunId } from '../machine/job-run.ts';
import { ask as askOfJobs } from '../machine/statements.ts';
import type { WorkParts } from './work-parts.ts';

/** Slots without a run, and slots with one, that one commit deletes: others wait for it. */
const [bare, whole] = [200, 10];

/**
 * Deletes the slots up to the number `upTo` that have ended, each with its deliveries and its run. It may be repeated:
 * a slot is deleted in one commit with everything that belongs to it.
 *
 * Some stay until a later time: the slot of `spare`, whose result prompts may have; a slot with a delivery or a run under
 * way; a slot whose run has the newest summary of the conversation.
 */
export async function prune({ store, conversations }: WorkParts, job: JobEffect): Promise<Fact> {
  const { upTo, spare } = job.params;
  const below = Number(upTo) + 1;
  for (let after = 0; after < below && !job.signal.aborted; ) {
    const page = await store.query('listOldFires', { ...jobKeyOf(job), after, below, limit: bare });
    if (page.length === 0) break;
    const removable = page.filter(({ n }) => n !== spare);
    for (const fires of commitsOf(removable)) {
      const changed = await store.commit(() => removeFires(job, fires));
      if (changed.length > 0) await conversations.forget(job.run.tenant, changed);
    }
    after = page.at(-1)?.n ?? below;
  }
  return { event: { type: 'slots.pruned', effectId: job.effectId } };
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
    // Look for the run even if the slot does not name it: the process that started it may have died.
    const row = yield* ask('loadRun', { tenant: job.run.tenant, id: slotRunId(job.options.key, n) });
    const gone = row ? yield* removeRunOfSlot(row) : [];
    if (gone === null) continue;
    changed.push(...gone);
    last = row ?? last;
    yield* askOfJobs('deleteFire', { ...jobKeyOf(job), n });
  }
  return last ? [...changed, ...(yield* runBehind(last))] : changed;
}

/** Null if it must stay. */
function* removeRunOfSlot(row: RunRow): Program<string[] | null> {
  const summary = yield* ask('lastSummary', { session: row.session });
  const runs = yield* ask('listRunsOf', { session: row.session, limit: 2 });
  const isAlone = runs.length === 1 && (isWorkflowRun(row) || isOwnSlotSession(row.sessionKey));
  // Later prompts begin with its summary.
  if (summary?.run === row.pk && !isAlone) return null;
  const removed = yield* removeRun(row);
  if (removed && isAlone) yield* ask('deleteSession', { session: row.session });
  return removed;
}

/** The next run of its session, which the search index stores together with the end of this one. */
function* runBehind({ tenant, session, pk }: RunRow): Program<string[]> {
  const next = yield* ask('firstUserMessage', { session, from: pk + 1, to: Number.MAX_SAFE_INTEGER });
  if (!next) return [];
  const [mark] = yield* ask('listRunMarks', { tenant, after: next.run - 1, limit: 1 });
  return mark?.pk === next.run ? [mark.id] : [];
}

function jobKeyOf({ run, options }: JobEffect): { tenant: number; job: string } {
  return { tenant: run.tenant, job: options.jobId };
}
