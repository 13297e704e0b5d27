import type { JobFailure, JobTarget } from '../../../machines/job.types.ts';
import { DetentError } from '../../protocol/error.ts';
import { deliver } from '../deliver/deliver.ts';
import type { Delivery } from '../deliver/delivery.ts';
import { type JobEffect, messageId } from '../machine/job-run.ts';
import type { WorkParts } from './work-parts.ts';

/** Why an alert is given while its slot has no result yet, or beside it. */
interface Cause extends Pick<Delivery, 'runId' | 'text' | 'failures' | 'tainted'> {
  status: 'waiting' | 'paused';
  error: JobFailure | null;
  at: number;
}

/** Delays before an alert is sent again whose target could not be reached. */
const delays = [1_000, 10_000];

/**
 * Tells targets of a job that the run of a slot waits for a person, or that failures pause the job. The
 * chart of the job has no delivery for these alerts, so no row has them: a process that takes the slot over sends them
 * again, under the same id.
 */
export async function alertNow(
  parts: WorkParts,
  job: JobEffect,
  targets: readonly JobTarget[],
  { at, ...cause }: Cause,
): Promise<void> {
  const { jobId, key, user } = job.options;
  const n = Number(job.params.n);
  const about = {
    isAlert: true,
    tenant: job.run.tenant,
    jobId,
    user,
    n,
    slot: Number(job.params.slot),
  } as const;
  const kind = job.context.firing?.kind ?? 'slot';
  await Promise.all(
    targets.map(async (target, i) => {
      const id = messageId(key, about, `${cause.status}${i}`);
      for (let attempt = 1; ; attempt++) {
        const againMs = (error: unknown) =>
          DetentError.is(error) && error.retryable ? (delays[attempt - 1] ?? null) : null;
        try {
          return await deliver(parts, {
            ...{ ...about, ...cause, id, target, kind, attempt, againMs, endedAt: at },
            isOvertaken: async () => false,
            signal: job.signal,
          });
        } catch (error) {
          const delay = againMs(error);
          // The log and the scheduler's `tell` already report deliveries.
          if (delay === null || job.signal.aborted) return;
          await new Promise((resolve) => setTimeout(resolve, delay));
        }
      }
    }),
  );
}
