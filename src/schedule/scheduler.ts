import { schedule as everyTime, type ScheduledTask } from 'node-cron';
import { defaultTenant } from '../protocol/access.ts';
import { DetentError } from '../protocol/error.ts';
import { createLimiter } from '../text/limiter.ts';
import { printable } from '../text/wording.ts';
import { Egress } from '../tools/http.ts';
import type { Scheduler, SchedulerOptions } from './api.ts';
import { type HasSchedule, scheduleDoor } from './door.ts';
import { readJob, readSchedule } from './jobs/definition.ts';
import { JobOperations } from './jobs/job-operations.ts';
import { inWords } from './times/in-words.ts';
import { nextTimes } from './times/next-times.ts';
import { partsOf } from './times/schedule-parts.ts';
import { createZones } from './times/zone.ts';
import { roomKey, ScheduleWork } from './work/job-work.ts';

const usual = { next: 3, concurrency: 16, webhookTimeoutMs: 15_000 };

/**
 * Makes a scheduler for a Detent.
 *
 * @example
 * ```ts
 * const scheduler = createScheduler(detent);
 * await scheduler.add({ jobId: 'daily', cron: '0 9 * * 1-5', prompt: 'Sum up yesterday.', delivery: 'console' });
 * await scheduler.start();
 * ```
 */
export function createScheduler(detent: HasSchedule, options: SchedulerOptions = {}): Scheduler {
  const door = detent[scheduleDoor];
  const {
    timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone,
    print = (text) => console.log(printable(text)),
    now = door.now,
    concurrency = usual.concurrency,
    jobs: declared,
    tell,
  } = options;
  if (!Number.isSafeInteger(concurrency) || concurrency < 1)
    throw new DetentError(
      'INVALID_CONFIG',
      `createScheduler: "concurrency" is a whole number of at least 1, not ${concurrency}`,
    );
  const { allowHosts = door.webhooks.allowHosts ?? [], timeoutMs = usual.webhookTimeoutMs } =
    options.webhooks ?? {};
  const egress = new Egress({ allow: allowHosts }, 'webhooks.allowHosts');
  const webhooks = { egress, timeoutMs };
  const zones = createZones();
  const settings = { timeZone, zones, now, declared, egress };
  const operations = async () => new JobOperations(await door.open(), settings);
  let stop: (() => void) | null = null;
  let ticks: ScheduledTask | null = null;

  return {
    async add(...asked) {
      // What a program got wrong is refused before there is a database.
      await door.check(readJob(asked[0], { timeZone, now: now() }).definition);
      return (await operations()).add(...asked);
    },
    list: async (...asked) => (await operations()).list(...asked),
    get: async (...asked) => (await operations()).get(...asked),
    update: async (...asked) => (await operations()).update(...asked),
    enable: async (...asked) => (await operations()).enable(...asked),
    disable: async (...asked) => (await operations()).disable(...asked),
    pause: async (...asked) => (await operations()).pause(...asked),
    resume: async (...asked) => (await operations()).resume(...asked),
    remove: async (...asked) => (await operations()).remove(...asked),
    run: async (...asked) => (await operations()).run(...asked),
    history: async (...asked) => (await operations()).history(...asked),
    redeliver: async (...asked) => (await operations()).redeliver(...asked),
    next: async (...asked) => (await operations()).next(...asked),
    reconcile: async (...asked) => (await operations()).reconcile(...asked),

    preview(fields, { from = now(), count = usual.next } = {}) {
      const schedule = readSchedule(fields, { timeZone, now: from });
      return {
        schedule,
        words: inWords(schedule),
        parts: partsOf(schedule),
        next: nextTimes(schedule, { from, count, zones }),
      };
    },

    async start() {
      if (stop) return;
      const opened = await operations();
      await opened.reconcile();
      const parts = await door.open();
      const { worker, engine, runs, jobs } = parts;
      const room = createLimiter({ [roomKey]: concurrency });
      const work = new ScheduleWork(
        { ...parts, zones, room, now, print, webhooks, ...(tell && { tell }) },
        opened.desk(),
      );
      stop = worker.begin(work);
      engine.reconsider();
      await runs.resume(defaultTenant, undefined);
      // Looks at due jobs after a sleep or a clock change, since timers of the process do not count that time and would
      // fire late.
      ticks = everyTime('* * * * *', () => jobs.look().catch(() => {}), { name: 'detent' });
    },

    async close() {
      await ticks?.destroy();
      stop?.();
      ticks = null;
      stop = null;
    },
  };
}

export { checkChange, checkJob } from './jobs/definition.ts';
