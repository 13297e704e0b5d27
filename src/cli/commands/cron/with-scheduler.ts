import type { JobScope, Scheduler } from '../../../schedule/api.ts';
import { createScheduler } from '../../../schedule/scheduler.ts';
import { reading, withDetent } from '../../drive/with-detent.ts';
import { type Flags, text, usage, wholeNumber } from '../../settings/flags.ts';
import { type CliOptions, hasDatabase } from '../../settings/load-options.ts';
import type { ServerPlace } from '../../settings/server.ts';

type Work<T> = (scheduler: Scheduler) => Promise<T>;

/**
 * Opens the jobs of a workspace for as long as `work` takes, with those that its configuration declares. Only a process that
 * runs the schedule removes what is not declared any more: `--db` may name the database of another configuration. With
 * `--server` a gateway has the jobs.
 */
export function withScheduler<T>(options: CliOptions, work: Work<T>): Promise<T> {
  if (options.server) return remotely(options, options.server, work);
  return withDetent(options, async (detent) => {
    const scheduler = createScheduler(detent, { jobs: options.jobs ?? [] });
    if (options.jobs?.length)
      try {
        await scheduler.reconcile({ removes: false });
      } catch (error) {
        // The other jobs can be worked with, and this may be how a person mends it.
        options.onError?.(error, '');
      }
    return work(scheduler);
  });
}

/** As {@link withScheduler}, and only reads, unless the configuration declares what is not stored yet. */
export async function readingJobs<T>(options: CliOptions, work: Work<T>): Promise<T> {
  if (options.server) return remotely(options, options.server, work);
  const isNew = options.jobs?.length && (!hasDatabase(options) || (await isOutdated(options)));
  if (isNew) return withScheduler(options, work);
  return reading(options, (detent) => work(createScheduler(detent)));
}

async function remotely<T>(
  { onError }: Pick<CliOptions, 'onError'>,
  server: ServerPlace,
  work: Work<T>,
): Promise<T> {
  const { remoteScheduler } = await import('../../remote/remote-scheduler.ts');
  const scheduler = remoteScheduler(server, (error) => onError?.(error, ''));
  try {
    return await work(scheduler);
  } finally {
    await scheduler.close();
  }
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

/** Whose jobs the command line means. @throws DetentError `USAGE`. */
export function jobScope(flags: Flags): JobScope {
  if (flags.server !== undefined)
    for (const flag of ['tenant', 'user'])
      if (flags[flag] !== undefined)
        throw usage(
          `a gateway knows tenant and user by the token: --server and --${flag} exclude each other`,
        );
  const tenantId = wholeNumber(flags, 'tenant', 1);
  const userId = text(flags, 'user');
  return { ...(tenantId !== undefined && { tenantId }), ...(userId !== undefined && { userId }) };
}
