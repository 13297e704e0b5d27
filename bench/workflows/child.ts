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
  workflows: number;
  /** Each also asks a person, which is a run of its own. */
  asks: boolean;
  phase: 'park' | 'rest' | 'due';
}

export interface ParkedResult {
  /** Until all wait. */
  parkMs: number;
  /** Until a new process had taken over what there is. */
  resumeMs: number;
  /** Resident memory before that, and after it. */
  beforeMb: number;
  withMb: number;
  /** Until all had fired and ended. */
  dueMs: number;
  /** Resident memory at most while they did. */
  peakMb: number;
  /** Runs that ended, and timers that fired in them. */
  ended: number;
  fired: number;
  /** Runs in which a timer fired twice, and timers that are left. */
  twice: number;
  left: number;
}

const month = 30 * 86_400_000;
const { folder, workflows, asks, phase } = askedOfChild<ParkedTask>();

const chart = setup({
  types: { context: {} as { order: string }, input: {} as { order: string } },
  actors: {
    approve: ask({ question: ({ order }: { order: string }) => `Send ${order}?`, expiresMs: 2 * month }),
  },
}).createMachine({
  id: 'parked',
  version: '1',
  context: ({ input }) => input,
  initial: 'waiting',
  states: {
    waiting: {
      after: { [month]: 'over' },
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
const detent = createDetent({ workspace: folder, env: {}, clock, workflows: [workflow(chart)] });
/** What the first run loads is none of the parked ones' cost. */
await detent.workflows.start('parked', { order: `first ${phase}` }).result;
const beforeMb = rss();
const began = performance.now();
const since = (start: number) => rounded(performance.now() - start, 0);

const result: ParkedResult = {
  parkMs: 0,
  resumeMs: 0,
  beforeMb,
  withMb: 0,
  dueMs: 0,
  peakMb: 0,
  ended: 0,
  fired: 0,
  twice: 0,
  left: 0,
};

if (phase === 'park') {
  let next = 0;
  const worker = async () => {
    while (next < workflows) await detent.workflows.start('parked', { order: `order ${next++}` }).result;
  };
  await Promise.all(Array.from({ length: 20 }, worker));
  result.parkMs = since(began);
  result.withMb = rss();
} else {
  await detent.runs.resume();
  result.resumeMs = since(began);
  result.withMb = rss();
  if (phase === 'due') await haveAllFire();
}
await detent.close();
console.log(JSON.stringify(result));

async function haveAllFire(): Promise<void> {
  const db = new Sqlite(join(folder, '.detent', 'detent.db'), { readonly: true });
  const count = (sql: string) => Number(db.prepare(sql).pluck().get());
  const start = performance.now();
  clock.forward(month + 86_400_000);
  while (count('select count(*) from runs where ended = 0') > 0) {
    result.peakMb = Math.max(result.peakMb, rounded(process.memoryUsage.rss() / megabyte, 1));
    await pause(100);
  }
  result.dueMs = since(start);
  const fires = "from run_events where type like 'xstate.after.%'";
  result.ended = count('select count(*) from runs where ended = 1');
  result.fired = count(`select count(*) ${fires}`);
  result.twice = count(`select count(*) from (select 1 ${fires} group by run_pk having count(*) > 1)`);
  result.left = count('select count(*) from timers');
  db.close();
}
