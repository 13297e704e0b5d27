import type { Detent } from '../../../index.ts';
import type { Happening } from '../../../runs/jobs/job-work.ts';
import { createScheduler } from '../../../schedule/scheduler.ts';
import { isoTime } from '../../../text/iso-time.ts';
import { printable } from '../../../text/printable.ts';
import { withDetent } from '../../drive/with-detent.ts';
import type { Flags } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { askedToStop, withModel } from '../serve/serve-command.ts';
import { reasonWords, targetWords } from './words.ts';

/** How long runs at work get to finish once the process is to stop. */
const drainMs = 10_000;
const page = 500;

/** `detent cron serve`: runs the schedule until it is told to stop. */
export async function serveSchedule(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const options = withModel(await loadOptions(flags, io), flags, io);
  return withDetent(options, async (detent) => {
    const asked = askedToStop(io);
    const atWork = new Set<string>();
    const scheduler = createScheduler(detent, {
      print: (text) => (flags.json ? io.json({ type: 'console', text }) : io.out(`${printable(text)}\n`)),
      tell(happening) {
        if (happening.type === 'began') atWork.add(happening.runId);
        if (happening.type === 'ended' && happening.runId !== null) atWork.delete(happening.runId);
        if (flags.json) io.json({ at: Date.now(), ...happening });
        else io.out(`${isoTime(Date.now())}  ${printable(lineOf(happening))}\n`);
      },
    });
    try {
      await scheduler.start();
      const jobs = await scheduler.list({ limit: page });
      const count = `${jobs.length}${jobs.length === page ? ' or more' : ''}`;
      if (flags.json) io.json({ at: Date.now(), type: 'started', pid: process.pid, jobs: jobs.length });
      else io.say(`runs the schedule of ${options.workspace}: ${count} jobs; Ctrl-C stops it`);
      await asked.once;
      await stop(detent, scheduler, atWork, io);
      return exit.ok;
    } finally {
      await scheduler.close();
      asked.stop();
    }
  });
}

/** No slot begins any more; runs at work may finish, then the next process goes on with them. */
async function stop(
  _detent: Detent,
  scheduler: { close(): Promise<void> },
  atWork: ReadonlySet<string>,
  io: Io,
): Promise<void> {
  await scheduler.close();
  if (atWork.size === 0) return;
  io.say(`detent: stopping: runs under way get ${drainMs / 1_000} s; again to leave at once`);
  const until = Date.now() + drainMs;
  while (atWork.size > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 100));
}

function lineOf(happening: Happening): string {
  const { jobId } = happening;
  switch (happening.type) {
    case 'began':
      return `${jobId} #${happening.n}: began: ${happening.runId}`;
    case 'ended':
      return `${jobId} #${happening.n}: ${happening.status}${happening.error ? `: ${happening.error.message} (${happening.error.code})` : ''}`;
    case 'skipped':
      return `${jobId}: slot of ${isoTime(happening.slot)} did not run: ${reasonWords[happening.reason]}`;
    case 'delivered':
      return `${jobId} #${happening.n}: delivered to ${targetWords(happening.target)}`;
    default:
      return `${jobId} #${happening.n}: not delivered to ${targetWords(happening.target)}: ${happening.error.message} (${happening.error.code})`;
  }
}
