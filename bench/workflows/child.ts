/** One process with many workflows that wait for a clock: makes them, rests with them, or has all of them fall due. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { setup } from 'xstate';
import type { Clock } from '../../src/engine/clock.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { ask, workflow } from '../../src/workflow/index.ts';
import { askedOfChild } from '../support/child.ts';
import { megabyte, rounded } from '../support/numbers.ts';

export interface ParkedTask {
  folder: string;
  count: number;
  /** Each also asks a person, which is a run of its own. */
  asks: boolean;
  /** `killed` and `late` start a month later: the one dies when half of the workflows have ended, the other goes on. */
  phase: 'park' | 'rest' | 'due' | 'killed' | 'late';
}

export interface ParkedResult {
  /** Until all wait. */
  parkMs: number;
  /** Until a new process had taken over what there is. */
  resumeMs: number;
  /** Resident memory before that, and after it. */
  beforeMb: number;
  withMb: number;
  /** Workflows that had ended before this process took over. */
  over: number;
  /** Until all had fired and ended; in `late` from the start of the process on. */
  dueMs: number;
  /** Resident memory at most until then. */
  peakMb: number;
  /** Workflows whose timer fired once, never, and more often. */
  once: number;
  never: number;
  twice: number;
  /** Timers that are left. */
  left: number;
}

const day = 86_400_000;
const month = 30 * day;
const { folder, count, asks, phase } = askedOfChild<ParkedTask>();

const chartOf = (id: string, waitMs: number) =>
  setup({
    types: { context: {} as { order: string }, input: {} as { order: string } },
    actors: {
      approve: ask({ question: ({ order }: { order: string }) => `Send ${order}?`, expiresMs: 2 * month }),
    },
  }).createMachine({
    id,
    version: '1',
    context: ({ input }) => input,
    initial: 'waiting',
    states: {
      waiting: {
        after: { [waitMs]: 'over' },
        ...(asks && {
          invoke: {
            id: 'approve',
            src: 'approve',
            input: ({ context }: { context: { order: string } }) => context,
            onDone: 'over',
            onError: 'over',
          },
        }),
      },
      over: { type: 'final' },
    },
  });

/** The machine's own clock, which can be moved forward. */
class MovedClock implements Clock {
  #offset = 0;
  readonly #wakes = new Set<{ at: number; wake: () => void }>();

  now = () => Date.now() + this.#offset;

  wakeAt(at: number, wake: () => void): () => void {
    const entry = { at, wake };
    this.#wakes.add(entry);
    const fire = () => {
      if (this.#wakes.delete(entry)) wake();
    };
    const timer = setTimeout(fire, Math.min(Math.max(0, at - this.now()), 2 ** 31 - 1)).unref();
    return () => {
      this.#wakes.delete(entry);
      clearTimeout(timer);
    };
  }

  hold(): () => void {
    const timer = setInterval(() => {}, 60_000);
    return () => clearInterval(timer);
  }

  forward(ms: number): void {
    this.#offset += ms;
    for (const entry of [...this.#wakes])
      if (entry.at <= this.now() && this.#wakes.delete(entry)) entry.wake();
  }
}

const rss = () => {
  globalThis.gc?.();
  return rounded(process.memoryUsage.rss() / megabyte, 1);
};

const clock = new MovedClock();
const isLate = phase === 'killed' || phase === 'late';
if (isLate) clock.forward(month + day);
const over = isLate ? parkedThatAreOver() : 0;
if (phase === 'killed')
  setInterval(() => {
    if (2 * parkedThatAreOver() > count) process.kill(process.pid, 'SIGKILL');
  }, 1).unref();
const workflows = [workflow(chartOf('parked', month)), workflow(chartOf('first', 1))];
const detent = createDetent({ workspace: folder, env: {}, clock, workflows });
/** What the first run loads is none of the parked ones' cost. */
await detent.workflows.start('first', { order: phase }).result;
const beforeMb = rss();
const began = performance.now();
const since = (start: number) => rounded(performance.now() - start, 0);

const result: ParkedResult = {
  parkMs: 0,
  resumeMs: 0,
  beforeMb,
  withMb: 0,
  over,
  dueMs: 0,
  peakMb: 0,
  once: 0,
  never: 0,
  twice: 0,
  left: 0,
};

if (phase === 'park') {
  let next = 0;
  const worker = async () => {
    while (next < count) await detent.workflows.start('parked', { order: `order ${next++}` }).result;
  };
  await Promise.all(Array.from({ length: 20 }, worker));
  result.parkMs = since(began);
  result.withMb = rss();
} else {
  await detent.runs.resume();
  result.resumeMs = since(began);
  result.withMb = rss();
  if (phase !== 'rest') await haveAllFire();
}
await detent.close();
console.log(JSON.stringify(result));

/** Of what other processes have written, too. */
function number(sql: string): number {
  const db = new Sqlite(join(folder, '.detent', 'detent.db'), { readonly: true });
  try {
    return Number(db.prepare(sql).pluck().get());
  } finally {
    db.close();
  }
}

function parkedThatAreOver(): number {
  return number("select count(*) from runs where machine = 'workflow:parked' and ended = 1");
}

async function haveAllFire(): Promise<void> {
  // `performance.now()` begins with the process.
  const start = isLate ? 0 : performance.now();
  if (!isLate) clock.forward(month + day);
  while (number('select count(*) from runs where ended = 0') > 0) {
    await pause(100);
  }
  result.dueMs = since(start);
  result.peakMb = rounded((process.resourceUsage().maxRSS * 1024) / megabyte, 1);
  const firedAs = (times: string) =>
    number(
      `select count(*) from (
         select count(e.seq) as times from runs r
         left join run_events e on e.run_pk = r.pk and e.type like 'xstate.after.%'
         where machine = 'workflow:parked' group by r.pk
       ) where times ${times}`,
    );
  result.once = firedAs('= 1');
  result.never = firedAs('= 0');
  result.twice = firedAs('> 1');
  result.left = number('select count(*) from timers');
}
