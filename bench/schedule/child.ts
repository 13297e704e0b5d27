/**
 * What many jobs cost one process, which is a fresh one.
 *
 * @module
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { ChatModel, ModelAnswer } from '../../src/index.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { createScheduler, type JobInput } from '../../src/schedule/index.ts';
import { askedOfChild } from '../support/child.ts';
import { megabyte, quantile, rounded } from '../support/numbers.ts';

/** `add`: makes the jobs. `rest`: starts with those that are there, none of which is due. `due`: makes some, and runs them. */
export interface ScheduleTask {
  do: 'add' | 'rest' | 'due';
  /** Holds the database. */
  folder: string;
  jobs: number;
  /** How long an idle process is watched. */
  idleMs: number;
  /** Milliseconds between the slots of two jobs; 0: all are due in the same second. */
  apartMs: number;
}

export interface ScheduleResult {
  addMs: number;
  listMs: number;
  startMs: number;
  rssMb: number;
  /** CPU of an idle minute. */
  idleCpuMs: number;
  /** From the time of a slot to the row that says that it began. */
  lateMs: { p50: number; p99: number };
  cpuMsPerSlot: number;
}

/** Answers at once. */
const model: ChatModel = {
  generate: async (): Promise<ModelAnswer> => ({
    model: 'bench',
    text: 'done',
    reasoning: '',
    refusal: '',
    toolCalls: [],
    finish: 'stop',
    finishReason: null,
    usage: { inputTokens: 100, outputTokens: 10, cachedInputTokens: 0, reasoningTokens: 0 },
    error: null,
  }),
};

const task = askedOfChild<ScheduleTask>();
const detent = createDetent({
  workspace: task.folder,
  env: {},
  model: 'bench/model',
  models: { bench: model },
  tools: { allowed: [] },
});
const scheduler = createScheduler(detent, { timeZone: 'UTC', print: () => {} });
const result: ScheduleResult = {
  addMs: 0,
  listMs: 0,
  startMs: 0,
  rssMb: 0,
  idleCpuMs: 0,
  lateMs: { p50: 0, p99: 0 },
  cpuMsPerSlot: 0,
};

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return rounded(performance.now() - began, 0);
}

/** As many requests at a time as a page of a client may send. */
async function add(schedule: (i: number) => Pick<JobInput, 'at' | 'cron'>): Promise<void> {
  const each = 50;
  for (let from = 0; from < task.jobs; from += each)
    await Promise.all(
      Array.from({ length: Math.min(each, task.jobs - from) }, (_, k) =>
        scheduler.add({ jobId: `job-${from + k}`, prompt: 'Go.', ...schedule(from + k) }),
      ),
    );
}

async function list(): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; )
    after = (await scheduler.list({ after, limit: 100 })).at(-1)?.jobId;
}

async function rest(): Promise<void> {
  result.startMs = await timed(() => scheduler.start());
  result.listMs = await timed(list);
  const before = cpuMs();
  await pause(task.idleMs);
  result.idleCpuMs = rounded(((cpuMs() - before) * 60_000) / task.idleMs, 0);
  globalThis.gc?.();
  result.rssMb = rounded(process.memoryUsage().rss / megabyte, 0);
}

async function due(): Promise<void> {
  await scheduler.start();
  // So far off that all have their timers by then.
  const first = Math.ceil((Date.now() + 3_000 + task.jobs * 10) / 1_000) * 1_000;
  const slotOf = (i: number) => first + i * task.apartMs;
  await add((i) => ({ at: new Date(slotOf(i)).toISOString() }));
  await pause(first - Date.now() - 100);
  const before = cpuMs();
  const late: number[] = [];
  for (let i = 0; i < task.jobs; i++)
    for (;;) {
      const [slot] = await scheduler.history(`job-${i}`);
      if (slot?.endedAt) {
        late.push((slot.begunAt ?? 0) - slotOf(i));
        break;
      }
      await pause(50);
    }
  result.cpuMsPerSlot = rounded((cpuMs() - before) / task.jobs);
  result.lateMs = { p50: quantile(late, 0.5), p99: quantile(late, 0.99) };
}

// Each night, spread over an hour that is far off.
const night = (new Date().getUTCHours() + 12) % 24;
if (task.do === 'add') result.addMs = await timed(() => add((i) => ({ cron: `${i % 60} ${night} * * *` })));
else if (task.do === 'rest') await rest();
else await due();
await scheduler.close();
await detent.close();
console.log(JSON.stringify(result));
