import { type Flags, usage, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { jobScope } from './job-scope.ts';
import { withScheduler } from './with-scheduler.ts';

/** `detent cron redeliver JOB N`: tries the deliveries of a slot again that were given up. */
export async function redeliver(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const id = word(words, 0, 'JOB');
  const n = slotNumber(word(words, 1, 'N'));
  const scope = jobScope(flags);
  const options = await loadOptions(flags, io);
  const count = await withScheduler(options, (scheduler) => scheduler.redeliver(id, n, scope));
  const what = count === 1 ? 'one delivery is' : `${count} deliveries are`;
  if (flags.json) io.json({ jobId: id, n, redelivered: count });
  else if (count === 0) io.say(`no delivery of slot #${n} was given up; see: detent cron history ${id}`);
  else
    io.out(
      io.asTyped(
        `${what} tried again by the process that runs the schedule; see: detent cron history ${id}\n`,
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
