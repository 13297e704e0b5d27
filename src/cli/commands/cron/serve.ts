import { counted } from '../../../text/wording.ts';
import { withDetent } from '../../drive/with-detent.ts';
import type { Flags } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { withModel } from '../../settings/with-model.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { askedToStop } from '../serve/serve-command.ts';
import { runningSchedule } from './running-schedule.ts';

const page = 500;

/** `detent cron serve`: runs the schedule until it is asked to stop. */
export async function serveSchedule(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  io.dropUnwritten();
  const options = withModel(await loadOptions(flags, io), flags, io);
  const isJson = flags.json === true;
  return withDetent(options, async (detent) => {
    const asked = askedToStop(io);
    const { scheduler, print, stop } = runningSchedule(detent, options, isJson, io);
    try {
      await scheduler.start();
      const jobs = (await scheduler.list({ limit: page })).length;
      const count = jobs === page ? `${page} jobs or more` : counted(jobs, 'job');
      if (isJson) io.json({ at: Date.now(), type: 'started', pid: process.pid, jobs });
      else io.say(`detent: runs the schedule of ${options.workspace}: ${count}; Ctrl-C stops it`);
      print();
      await asked.once;
      return exit.ok;
    } finally {
      await stop();
      asked.stop();
    }
  });
}
