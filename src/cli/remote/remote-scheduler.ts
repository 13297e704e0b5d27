import type { DetentError } from '../../protocol/error.ts';
import type { FireView, JobView } from '../../protocol/job-view.ts';
import type { Scheduler } from '../../schedule/api.ts';
import { checkChange, checkJob } from '../../schedule/definition.ts';
import { noJob } from '../../schedule/stored-jobs.ts';
import type { ServerPlace } from '../settings/server.ts';
import { openLink } from './gateway-link.ts';
import { partly } from './partly.ts';

/** The gateway takes no longer ids, and shows no more slots at once. */
const [maxIdLength, maxSlots] = [200, 200];
const usualSlots = 20;

/**
 * The part of a scheduler that the commands need, performed by a gateway. The token says whose jobs they are.
 *
 * Jobs and changes are checked before they are sent, so that a mistake has the code that it has on the database itself.
 *
 * @param report gets told when the connection is lost for now.
 */
export function remoteScheduler(server: ServerPlace, report: (error: DetentError) => void): Scheduler {
  const link = openLink(server, report);

  const get = async (jobId: string): Promise<JobView> => link.request('cron.get', { jobId: known(jobId) });

  return partly<Scheduler>({
    add: async (job) => link.request('cron.add', checkJob(job)),
    list: async ({ after, limit } = {}) =>
      (await link.request('cron.list', { afterJobId: after, limit })).jobs,
    get,
    async update(jobId, change) {
      await get(jobId);
      return link.request('cron.update', { jobId, ...checkChange(change) });
    },
    enable: async (jobId) => link.request('cron.enable', { jobId: known(jobId) }),
    disable: async (jobId, reason) => link.request('cron.disable', { jobId: known(jobId), reason }),
    pause: async (jobId, reason) => link.request('cron.pause', { jobId: known(jobId), reason }),
    resume: async (jobId) => link.request('cron.resume', { jobId: known(jobId) }),
    async remove(jobId) {
      await link.request('cron.remove', { jobId: known(jobId) });
    },
    run: async (jobId) => link.request('cron.run', { jobId: known(jobId) }),
    async history(jobId, { below: start, limit = usualSlots } = {}) {
      const slots: FireView[] = [];
      for (let below = start; ; below = slots.at(-1)?.n) {
        const size = Math.min(limit - slots.length, maxSlots);
        const from = below !== undefined && { below };
        const page = await link.request('cron.history', { jobId: known(jobId), limit: size, ...from });
        slots.push(...page.slots);
        if (page.slots.length < size || slots.length === limit) return slots;
      }
    },
    redeliver: async (jobId, n) =>
      (await link.request('cron.redeliver', { jobId: known(jobId), n })).redelivered,
    close: async () => link.close(),
  });
}

/** An id that a gateway takes. @throws DetentError `NO_JOB` for one that no job can have. */
function known(jobId: string): string {
  if (jobId.length > maxIdLength) throw noJob(jobId);
  return jobId;
}
