import { onTestFinished } from 'vitest';
import type { JobDefinition } from '../../../machines/job.types.ts';
import type { Detent } from '../../../src/index.ts';
import type { JobInput } from '../../../src/protocol/methods.ts';
import type { FireView } from '../../../src/protocol/views.ts';
import type { JobScope, SchedulerOptions } from '../../../src/schedule/api.ts';
import { scheduleDoor } from '../../../src/schedule/door.ts';
import { readJob } from '../../../src/schedule/jobs/definition.ts';
import { createScheduler } from '../../../src/schedule/scheduler.ts';

/** A scheduler that runs the schedule of a Detent, until the end of the test. */
export async function scheduling(detent: Detent, options: SchedulerOptions = {}) {
  const scheduler = createScheduler(detent, { timeZone: 'UTC', print: () => {}, ...options });
  await scheduler.start();
  onTestFinished(() => scheduler.close());

  /** The newest slot of a job, once it has ended or its run waits for a person. */
  const rested = async (jobId: string, n: number): Promise<FireView> => {
    for (;;) {
      const [slot] = await scheduler.history(jobId);
      const isOver = slot?.n === n && slot.status !== 'queued' && slot.status !== 'running';
      if (slot && (isOver || slot.runStatus === 'waiting')) return slot;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  return {
    scheduler,
    rested,
    /** Makes a job without a slot of its own soon. */
    add: (job: Partial<JobInput>, scope: JobScope = {}) =>
      scheduler.add({ jobId: 'daily', at: '2100-01-01T00:00:00Z', prompt: 'Go.', ...job }, scope),
    /** The same for a job that names what there was when it was made, and is not any more. */
    async addUnchecked(
      job: Partial<JobInput>,
      as: (definition: JobDefinition) => JobDefinition = (definition) => definition,
    ): Promise<void> {
      const { jobs, clock } = await detent[scheduleDoor].open();
      const now = clock.now();
      const written = { jobId: 'daily', at: '2100-01-01T00:00:00Z', prompt: 'Go.', ...job };
      const { jobId: id, definition } = readJob(written, { timeZone: 'UTC', now });
      await jobs.create({
        tenant: 1,
        id,
        user: null,
        source: 'user',
        definition: as(definition),
        halt: null,
        from: now,
      });
    },
    /** Runs it now, and gives its slot with the number `n`. */
    async fire(n = 1, jobId = 'daily') {
      await scheduler.run(jobId);
      return rested(jobId, n);
    },
  };
}
