import type { Detent } from '../../../index.ts';
import { createScheduler, type Scheduler, type SchedulerOptions } from '../../../schedule/scheduler.ts';
import { reading, withDetent } from '../../drive/with-detent.ts';
import type { CliOptions } from '../../settings/load-options.ts';

type Work<T> = (scheduler: Scheduler, detent: Detent) => Promise<T>;

/** Opens the jobs of a workspace for as long as `work` takes. */
export function withScheduler<T>(
  options: CliOptions,
  work: Work<T>,
  settings: SchedulerOptions = {},
): Promise<T> {
  return withDetent(options, async (detent) => {
    const scheduler = createScheduler(detent, settings);
    try {
      return await work(scheduler, detent);
    } finally {
      await scheduler.close();
    }
  });
}

/** As {@link withScheduler}, and only reads. */
export function readingJobs<T>(options: CliOptions, work: Work<T>): Promise<T> {
  return reading(options, (detent) => work(createScheduler(detent), detent));
}
