import type { JobView } from '../../../protocol/job-view.ts';
import { type Flags, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { changedFields, newJob } from './job-flags.ts';
import { jobScope } from './job-scope.ts';
import { withScheduler } from './with-scheduler.ts';
import { anotherTime, clockTime, until } from './words.ts';

/** `detent cron add JOB`. */
export async function addJob(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const scope = jobScope(flags);
  const input = await newJob(words[0], flags, io);
  const options = await loadOptions(flags, io);
  const job = await withScheduler(options, (scheduler) => scheduler.add(input, scope));
  if (flags.json) io.json(job);
  else announce(job, 'added', io);
  return exit.ok;
}

/** `detent cron update JOB`. */
export async function updateJob(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const id = word(words, 0, 'JOB');
  const scope = jobScope(flags);
  const change = await changedFields(id, flags, io);
  const options = await loadOptions(flags, io);
  const job = await withScheduler(options, (scheduler) => scheduler.update(id, change, scope));
  if (flags.json) io.json(job);
  else announce(job, 'changed', io);
  return exit.ok;
}

/** What became of the job, and when it runs next. */
export function announce(job: JobView, what: string, io: Io, now = Date.now()): void {
  const [next] = job.next;
  io.out(`${job.jobId}: ${what}: ${job.words}\n`);
  if (job.state === 'paused' || job.state === 'disabled')
    io.say(
      `it is ${job.state}; it counts with: detent cron ${job.state === 'paused' ? 'resume' : 'enable'} ${job.jobId}`,
    );
  else if (job.state === 'finished' || (job.state === 'scheduled' && next === undefined))
    io.say(`it has no other time; ${anotherTime(job)}`);
  else if (next !== undefined) io.say(`next: ${clockTime(next, job)}, ${until(next, now)}`);
  if (job.state === 'scheduled' && what === 'added')
    io.say('jobs run while one of these does: detent serve, or detent cron serve');
}
