import type { Detent } from '../../../index.ts';
import type { Happening, Scheduler } from '../../../schedule/api.ts';
import { createScheduler } from '../../../schedule/scheduler.ts';
import { counted, isoTime, printable } from '../../../text/wording.ts';
import type { CliOptions } from '../../settings/load-options.ts';
import type { Io } from '../../terminal/io.ts';
import { shellWord } from '../../terminal/shell-word.ts';
import { reasonWords, spanOf, targetWords } from './words.ts';

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
  io: Pick<Io, 'say' | 'out' | 'json'>,
): RunningSchedule {
  const atWork = new Map<string, Extract<Happening, { type: 'began' }>>();
  const now = () => Date.now();
  let held: (() => void)[] | null = [];
  const write = (line: () => void) => (held ? void held.push(line) : line());
  /** Slots of one job that did not run for one reason, and are not printed yet: those of one commit are one line. */
  let skips: Skipped[] = [];
  const printSkips = () => {
    const [at, ended] = [now(), skips];
    skips = [];
    if (ended.length > 0) write(() => io.out(`${isoTime(at)}  ${skipLine(ended)}\n`));
  };
  const printSkip = (skip: Skipped) => {
    const [first] = skips;
    const isOther =
      first && (first.jobId !== skip.jobId || first.tenant !== skip.tenant || first.reason !== skip.reason);
    if (isOther) printSkips();
    if (skips.push(skip) === 1) queueMicrotask(printSkips);
  };
  const scheduler = createScheduler(detent, {
    jobs,
    print(text, of) {
      printSkips();
      const at = now();
      write(() => (isJson ? io.json({ at, ...of, type: 'console', text }) : io.out(`${printable(text)}\n`)));
    },
    tell(happening) {
      if (happening.type === 'began') atWork.set(slotKey(happening), happening);
      if (happening.type === 'ended') atWork.delete(slotKey(happening));
      const at = now();
      if (isJson) return write(() => io.json({ at, ...happening }));
      if (happening.type === 'skipped') return printSkip(happening);
      printSkips();
      write(() => io.out(`${isoTime(at)}  ${lineOf(happening)}\n`));
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
        `detent: still running: ${printable(jobs.join(', '))}; up to ${drainMs / 1_000} s to finish; again to exit at once`,
      );
      const until = now() + drainMs;
      while ((await busy()).length > 0 && now() < until)
        await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
      // A delivery follows the end at once.
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    },
  };
}

type Skipped = Extract<Happening, { type: 'skipped' }>;

function slotKey({ tenant, jobId, n }: { tenant: number; jobId: string; n: number }): string {
  return `${tenant} ${n} ${jobId}`;
}

function lineOf(happening: Exclude<Happening, Skipped>): string {
  const { jobId, n } = happening;
  return printable(`${jobId} #${n}: ${whatOf(happening)}`.replaceAll(/\s+/g, ' '));
}

/** @param slots of one job, with one reason */
function skipLine(slots: readonly Skipped[]): string {
  const [first, last] = [slots[0], slots.at(-1)];
  if (!first || !last) return '';
  const { jobId, n, slot, reason } = first;
  const which =
    slots.length === 1
      ? `#${n}: the slot of ${isoTime(slot)}`
      : `#${n} to #${last.n}: ${slots.length} slots, from ${isoTime(slot)} to ${isoTime(last.slot)},`;
  return printable(`${jobId} ${which} did not run: ${reasonWords[reason]}`.replaceAll(/\s+/g, ' '));
}

function whatOf(happening: Exclude<Happening, Skipped>): string {
  switch (happening.type) {
    case 'began':
      return `began: ${happening.runId}`;
    case 'ended':
      return `${happening.status}${why(happening.error)}`;
    case 'paused':
      return `paused after ${counted(happening.failures, 'failure')} in a row; resume it with: detent cron resume ${shellWord(happening.jobId)}`;
    case 'delivered':
      return `${happening.isAlert ? 'alert ' : ''}delivered to ${targetWords(happening.target)}`;
    case 'undelivered':
      return `${happening.isAlert ? 'alert ' : ''}not delivered to ${targetWords(happening.target)}${why(happening.error)}; ${
        happening.again === null
          ? `it is not tried again${happening.isAlert ? '' : `; do so with: detent cron redeliver ${shellWord(happening.jobId)} ${happening.n}`}`
          : `attempt ${happening.attempt + 1} comes ${happening.again < 1_000 ? 'at once' : `in ${spanOf(happening.again)}`}`
      }`;
  }
}

function why(error: { code: string; message: string } | null): string {
  return error === null ? '' : `: ${error.message} (${error.code})`;
}
