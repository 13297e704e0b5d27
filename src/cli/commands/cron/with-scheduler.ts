import type { JobScope } from '../../../schedule/api.ts';
import { createScheduler } from '../../../schedule/scheduler.ts';
import { noJob } from '../../../schedule/stored-jobs.ts';
import { reading, withDetent, withPort } from '../../drive/with-detent.ts';
import { localPort } from '../../port/local-port.ts';
import type { Ask } from '../../port/port.ts';
import { type Flags, text, wholeNumber, word } from '../../settings/flags.ts';
import { type CliOptions, hasDatabase } from '../../settings/load-options.ts';

type Work<T> = (ask: Ask) => Promise<T>;

/**
 * Opens the jobs of a workspace for as long as `work` takes, with those that its configuration declares. Only a process that
 * runs the schedule removes what is not declared any more: `--db` may name the database of another configuration. With
 * `--server` a gateway has the jobs.
 */
export function withJobs<T>(options: CliOptions, scope: JobScope, work: Work<T>): Promise<T> {
  if (options.server) return withPort(options, ({ ask }) => work(ask));
  return withDetent(options, async (detent) => {
    const scheduler = createScheduler(detent, { jobs: options.jobs ?? [] });
    if (options.jobs?.length)
      try {
        await scheduler.reconcile({ removes: false });
      } catch (error) {
        // The other jobs can be worked with, and this may be how a person mends it.
        options.onError?.(error, '');
      }
    return work(localPort(detent, { ...scope, scheduler }).ask);
  });
}

/** As {@link withJobs}, and only reads, unless the configuration declares what is not stored yet. */
export async function readingJobs<T>(options: CliOptions, scope: JobScope, work: Work<T>): Promise<T> {
  const isNew = options.jobs?.length && (!hasDatabase(options) || (await isOutdated(options)));
  if (options.server || isNew) return withJobs(options, scope, work);
  return reading(options, (detent) =>
    work(localPort(detent, { ...scope, scheduler: createScheduler(detent) }).ask),
  );
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

/** A gateway takes no longer ids. */
const maxIdLength = 200;

/** The job that a command names. @throws DetentError `USAGE`; `NO_JOB` for an id that no job can have. */
export function jobWord(words: readonly string[]): string {
  const jobId = word(words, 0, 'JOB');
  if (jobId.length > maxIdLength) throw noJob(jobId);
  return jobId;
}

/** Whose jobs the command line means. @throws DetentError `USAGE`. */
export function jobScope(flags: Flags): JobScope {
  const tenantId = wholeNumber(flags, 'tenant', 1);
  const userId = text(flags, 'user');
  return { ...(tenantId !== undefined && { tenantId }), ...(userId !== undefined && { userId }) };
}
