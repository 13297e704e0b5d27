import type { Detent } from '../../../index.ts';
import type { Happening, Scheduler } from '../../../schedule/api.ts';
import { createScheduler } from '../../../schedule/scheduler.ts';
import { isoTime, printable } from '../../../text/wording.ts';
import type { CliOptions } from '../../settings/load-options.ts';
import type { Io } from '../../terminal/io.ts';
import { reasonWords, targetWords } from './words.ts';

/** How long runs at work get to finish once the process is to stop. */
const drainMs = 10_000;
/** How often it looks whether they have. */
const lookEveryMs = 100;

/** The schedule as one process runs it. */
interface RunningSchedule {
  scheduler: Scheduler;
  /** From now on lines are printed; those that came before it are printed first. */
  print(): void;
  /** Begins no slot any more, and gives runs at work a while to finish; the next process goes on with the others. */
  stop(): Promise<void>;
}

/** A scheduler that prints a line for what happens, for people or as JSON. It begins with `scheduler.start()`. */
export function runningSchedule(
  detent: Detent,
  { jobs = [] }: Pick<CliOptions, 'jobs'>,
  isJson: boolean,
  io: Io,
): RunningSchedule {
  const atWork = new Map<string, Extract<Happening, { type: 'began' }>>();
  const now = () => Date.now();
  let held: (() => void)[] | null = [];
  const write = (line: () => void) => (held ? void held.push(line) : line());
  const scheduler = createScheduler(detent, {
    jobs,
    print(text) {
      const at = now();
      write(() => (isJson ? io.json({ at, type: 'console', text }) : io.out(`${printable(text)}\n`)));
    },
    tell(happening) {
      if (happening.type === 'began') atWork.set(slotKey(happening), happening);
      if (happening.type === 'ended') atWork.delete(slotKey(happening));
      const at = now();
      write(() =>
        isJson ? io.json({ at, ...happening }) : io.out(`${isoTime(at)}  ${lineOf(happening)}\n`),
      );
    },
  });
  /** The slots whose runs do something. Those that wait for a person wait in the next process as well. */
  const busy = async () => {
    const slots = await Promise.all(
      [...atWork.values()].map(async (slot) => {
        const run = await detent.runs.show(slot.runId, slot.tenant).catch(() => null);
        return run?.status === 'waiting' ? [] : [slot];
      }),
    );
    return slots.flat();
  };
  return {
    scheduler,
    print() {
      for (const line of held ?? []) line();
      held = null;
    },
    async stop() {
      await scheduler.close();
      const slots = await busy();
      if (slots.length === 0) return;
      const jobs = [...new Set(slots.map(({ jobId }) => jobId))];
      io.say(
        `detent: at work: ${printable(jobs.join(', '))}; up to ${drainMs / 1_000} s to finish; again to leave at once`,
      );
      const until = now() + drainMs;
      while ((await busy()).length > 0 && now() < until)
        await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
      // A delivery follows the end at once.
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    },
  };
}

function slotKey({ tenant, jobId, n }: { tenant: number; jobId: string; n: number }): string {
  return `${tenant} ${n} ${jobId}`;
}

function lineOf(happening: Happening): string {
  const { jobId } = happening;
  return printable(
    `${jobId}${'n' in happening ? ` #${happening.n}` : ''}: ${whatOf(happening)}`.replaceAll(/\s+/g, ' '),
  );
}

function whatOf(happening: Happening): string {
  switch (happening.type) {
    case 'began':
      return `began: ${happening.runId}`;
    case 'ended':
      return `${happening.status}${why(happening.error)}`;
    case 'skipped':
      return `the slot of ${isoTime(happening.slot)} did not run: ${reasonWords[happening.reason]}`;
    case 'delivered':
      return `${happening.isAlert ? 'alert ' : ''}delivered to ${targetWords(happening.target)}`;
    case 'undelivered':
      return `not delivered to ${targetWords(happening.target)}${why(happening.error)}`;
  }
}

function why(error: { code: string; message: string } | null): string {
  return error === null ? '' : `: ${error.message} (${error.code})`;
}
