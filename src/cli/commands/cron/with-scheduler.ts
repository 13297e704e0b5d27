import type { Detent } from '../../../index.ts';
import { createScheduler, type Scheduler } from '../../../schedule/scheduler.ts';
import { reading, withDetent } from '../../drive/with-detent.ts';
import { type CliOptions, hasDatabase } from '../../settings/load-options.ts';

type Work<T> = (scheduler: Scheduler, detent: Detent) => Promise<T>;

/**
 * Opens the jobs of a workspace for as long as `work` takes, with those that its configuration declares. Only a process that
 * runs the schedule removes what is not declared any more: `--db` may name the database of another configuration.
 */
export function withScheduler<T>(options: CliOptions, work: Work<T>): Promise<T> {
  return withDetent(options, async (detent) => {
    const scheduler = createScheduler(detent, { jobs: options.jobs ?? [] });
    if (options.jobs?.length)
      try {
        await scheduler.reconcile({ removes: false });
      } catch (error) {
        // The other jobs can be worked with, and this may be how a person mends it.
        options.onError?.(error, '');
      }
    return work(scheduler, detent);
  });
}

/** As {@link withScheduler}, and only reads, unless the configuration declares what is not stored yet. */
export async function readingJobs<T>(options: CliOptions, work: Work<T>): Promise<T> {
  const isNew = options.jobs?.length && (!hasDatabase(options) || (await isOutdated(options)));
  if (isNew) return withScheduler(options, work);
  return reading(options, (detent) => work(createScheduler(detent), detent));
}

function isOutdated(options: CliOptions): Promise<boolean> {
  return reading(options, async (detent) => {
    const scheduler = createScheduler(detent, { jobs: options.jobs ?? [] });
    try {
      const { made, changed } = await scheduler.reconcile({ isDry: true });
      return made.length + changed.length > 0;
    } catch {
      // It is told when it is tried.
      return true;
    }
  });
}
