import { isPausing } from '../../../machines/job.rules.ts';
import type { JobFailure, JobTarget } from '../../../machines/job.types.ts';
import type { Fact } from '../../engine/machine.ts';
import { DetentError } from '../../protocol/error.ts';
import { taintOfRun } from '../../runs/rows.ts';
import type { DeliveryRow, FireRow } from '../../store/rows.ts';
import { unknownSource } from '../../store/stored-message.ts';
import { retryDelay } from '../../tools/http.ts';
import { deliver } from '../deliver/deliver.ts';
import { deliveryFailed, isSpared } from '../machine/job-facts.ts';
import { type JobEffect, messageId } from '../machine/job-run.ts';
import type { Store } from '../machine/statements.ts';
import { resultText, userOfJob } from './slot-prompt.ts';
import type { WorkParts } from './work-parts.ts';

/** How many slots are looked at for what came before or after one. */
const lookedBack = 1_000;

/** Makes one attempt at a delivery. A process that dies after it may make it again, under the same id. */
export async function makeDelivery(parts: WorkParts, job: JobEffect): Promise<Fact> {
  const { effectId, params } = job;
  const attempt = Number(params.attempt);
  try {
    await attemptIt(parts, job, attempt);
    return { event: { type: 'delivery.done', effectId } };
  } catch (error) {
    if (job.signal.aborted) throw error;
    return deliveryFailed(effectId, attempt, error);
  }
}

async function attemptIt(parts: WorkParts, job: JobEffect, attempt: number): Promise<void> {
  const { store, runs } = parts;
  const { tenant } = job.run;
  const { jobId } = job.options;
  const n = Number(job.params.n);
  const target = Number(job.params.target);
  const isAlert = job.params.isAlert === true;
  const fire = await store.query('findFire', { tenant, job: jobId, n });
  const row = await store.query('findDelivery', { tenant, job: jobId, n, target, isAlert: isAlert ? 1 : 0 });
  if (!fire || !row) throw new DetentError('DELIVERY_GONE', 'the slot of this delivery is not kept any more');
  const run = fire.runId === null ? undefined : await store.query('loadRun', { tenant, id: fire.runId });
  const failures = fire.status === 'failed' ? await failuresUpTo(store, { tenant, job: jobId, n }) : 0;
  await deliver(parts, {
    id: row.messageId ?? messageId(job.options.key, { n, slot: null }, `${isAlert ? 'a' : ''}${target}`),
    target: JSON.parse(row.spec) as JobTarget,
    isAlert,
    tenant,
    jobId,
    user: await userOfJob(store, job),
    n,
    slot: fire.slot,
    endedAt: fire.endedAt ?? fire.slot,
    kind: fire.kind === 'manual' ? 'manual' : 'slot',
    status:
      fire.status === 'ok'
        ? 'ok'
        : isAlert && isPausing(job.context.definition, failures)
          ? 'paused'
          : 'failed',
    runId: fire.runId,
    text: run ? resultText(await runs.view(tenant, run.id)) : '',
    tainted: run
      ? await taintOfRun(store, run)
      : fire.runId === null
        ? []
        : [unknownSource('a run that is gone')],
    error: fire.error === null ? null : (JSON.parse(fire.error) as JobFailure),
    failures,
    attempt,
    againMs: (error) => (attempt < job.context.definition.attempts ? retryDelay(attempt, error) : null),
    isOvertaken: () => isOvertaken(store, { tenant, job: jobId, n }, row),
    signal: job.signal,
  });
}

interface OfFire {
  tenant: number;
  job: string;
  n: number;
}

/**
 * Failures in a row up to the slot, counted from the rows: the job has moved on since, and each attempt must send the
 * same number.
 */
async function failuresUpTo(store: Store, { n, ...job }: OfFire): Promise<number> {
  const fires = await store.query('listFires', { ...job, below: n + 1, limit: lookedBack });
  const lastOk = fires.findIndex(({ status }) => status === 'ok');
  const since = lastOk === -1 ? fires : fires.slice(0, lastOk);
  const isCounted = ({ status, error }: FireRow) =>
    status === 'failed' && !isSpared(error === null ? null : (JSON.parse(error) as JobFailure));
  return since.filter(isCounted).length;
}

async function isOvertaken(
  store: Store,
  { n, ...job }: OfFire,
  { target, isAlert, spec }: DeliveryRow,
): Promise<boolean> {
  const fires = await store.query('listFires', {
    ...job,
    below: Number.MAX_SAFE_INTEGER,
    limit: lookedBack,
  });
  for (const { n: later } of fires.filter((fire) => fire.n > n)) {
    const row = await store.query('findDelivery', { ...job, n: later, target, isAlert });
    if (row?.status === 'delivered' && row.spec === spec) return true;
  }
  return false;
}
