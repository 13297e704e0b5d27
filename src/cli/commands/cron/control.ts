import type { JobView } from '../../../protocol/views.ts';
import { type Flags, text, usage, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { isYes } from '../../terminal/ask-yes.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { shellWord } from '../../terminal/shell-word.ts';
import { announce } from './add.ts';
import { jobScope, jobWord, withJobs } from './with-scheduler.ts';

/** `detent cron enable JOB`. */
export const enableJob = controlled('enabled', 'cron.enable');
/** `detent cron disable JOB [--reason R]`. */
export const disableJob = controlled('disabled', 'cron.disable');
/** `detent cron pause JOB [--reason R]`. */
export const pauseJob = controlled('paused', 'cron.pause');
/** `detent cron resume JOB`. */
export const resumeJob = controlled('resumed', 'cron.resume');

function controlled(done: string, method: `cron.${'enable' | 'disable' | 'pause' | 'resume'}`) {
  return async (words: readonly string[], flags: Flags, io: Io): Promise<number> => {
    const jobId = jobWord(words);
    const scope = jobScope(flags);
    const reason = readReason(flags);
    const options = await loadOptions(flags, io);
    const asked = { jobId, ...(reason !== undefined && { reason }) };
    const job = await withJobs(options, scope, (ask) => ask(method, asked));
    if (flags.json) io.json(job);
    else announce(job, done, io);
    return exit.ok;
  };
}

/** As long as a gateway takes it. @throws DetentError `USAGE`. */
function readReason(flags: Flags): string | undefined {
  const reason = text(flags, 'reason');
  if (reason !== undefined && (reason === '' || reason.length > 1_000))
    throw usage('--reason is 1 to 1000 characters');
  return reason;
}

/** `detent cron remove JOB`. */
export async function removeJob(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const id = jobWord(words);
  const scope = jobScope(flags);
  const options = await loadOptions(flags, io);
  return withJobs(options, scope, async (ask) => {
    const job = await ask('cron.get', { jobId: id });
    if (!flags.yes && !(await isSure(job, io))) {
      io.say('nothing was removed');
      return exit.cancelled;
    }
    await ask('cron.remove', { jobId: id });
    if (flags.json) io.json({ jobId: id, removed: true });
    else
      io.out(
        io.asTyped(
          job.sessionId === null
            ? `${id}: removed; its runs stay: detent runs list\n`
            : `${id}: removed; the conversation of its runs stays: detent sessions show ${job.sessionId}\n`,
        ),
      );
    return exit.ok;
  });
}

async function isSure(job: JobView, io: Io): Promise<boolean> {
  if (!io.isAttended()) throw usage('there is no terminal to ask on; confirm with --yes to remove it');
  const run = job.current?.runId ? ', and cancel its run' : '';
  return isYes(`Remove job "${job.jobId}" with its history${run}?`, io);
}

/** `detent cron redeliver JOB N`: tries the deliveries of a slot again that were given up. */
export async function redeliver(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const id = jobWord(words);
  const n = slotNumber(word(words, 1, 'N'));
  const scope = jobScope(flags);
  const options = await loadOptions(flags, io);
  const { redelivered: count } = await withJobs(options, scope, (ask) =>
    ask('cron.redeliver', { jobId: id, n }),
  );
  const what = count === 1 ? 'one delivery is' : `${count} deliveries are`;
  if (flags.json) io.json({ jobId: id, n, redelivered: count });
  else if (count === 0) io.say(`slot #${n} has no dead delivery; see: detent cron history ${shellWord(id)}`);
  else
    io.out(
      io.asTyped(
        `${what} tried again by the process that runs the schedule; see: detent cron history ${shellWord(id)}\n`,
      ),
    );
  return exit.ok;
}

/** As `detent cron history` prints it: `#3`, or `3`. */
function slotNumber(text: string): number {
  const digits = /^#?([1-9]\d{0,11})$/.exec(text)?.[1];
  if (digits === undefined)
    throw usage(`N is the number of a slot, as "detent cron history" prints it; not "${text}"`);
  return Number(digits);
}
