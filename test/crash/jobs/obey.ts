import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import type { Clock } from '../../../src/engine/clock.ts';
import type { EffectHandler, MachineHost } from '../../../src/engine/machine/machine-host.ts';
import { type Detent, DetentError, defineTool, type ModelRequest } from '../../../src/index.ts';
import { assemble } from '../../../src/runtime/create-detent.ts';
import { type ScheduleParts, scheduleDoor } from '../../../src/schedule/door.ts';
import type { JobRun } from '../../../src/schedule/machine/job-run.ts';
import { createScheduler } from '../../../src/schedule/scheduler.ts';
import type { StoredJob } from '../../../src/schedule/stored-jobs.ts';
import { type ScriptedAnswer, scriptedModel } from '../../../src/testing/index.ts';
import { decoratorsOf, withBoundaries } from '../harness/boundaries.ts';
import { Life } from '../harness/life.ts';
import { type Attempt, clockBegins, clockSpeed, deliveryKey, type JobOrder } from './order.ts';
import { patienceMs } from './receiver.ts';

type JobLife = Life<JobOrder>;

/** One life of a scenario of jobs: runs the schedule until all jobs have had their slots and deliveries. */
export function obeyJobOrder(order: JobOrder): Promise<string[]> {
  const life = new Life(order);
  const clock = new FastClock(order.workspace);
  const detent = openJobs(life, clock);
  return life.lead(detent, async () => {
    const scheduler = createScheduler(detent, {
      now: clock.now,
      webhooks: { allowHosts: ['127.0.0.1'], timeoutMs: patienceMs },
    });
    const parts = await detent[scheduleDoor].open();
    clock.begin();
    for (const job of order.jobs) await make(parts, job);
    await scheduler.start();
    for (const { id } of order.jobs) await settled(life, detent, parts, id, clock);
    await scheduler.close();
  });
}

function openJobs(life: JobLife, clock: Clock): Detent {
  const { workspace, url, asks, thinkingMs } = life.order;
  const decorators = decoratorsOf(life);
  return assemble(
    {
      workspace,
      ...(url && { database: { url } }),
      env: {},
      clock,
      model: 'test/model',
      models: {
        test: {
          async generate(request, options) {
            await pause(thinkingMs, undefined, { signal: options.signal });
            return scriptedModel([answer(request, asks)]).generate(request, options);
          },
        },
      },
      tools: {
        allowed: ['send'],
        define: [
          defineTool({
            name: 'send',
            description: 'Sends it.',
            parameters: z.looseObject({}),
            sideEffect: 'idempotent',
            confirm: true,
            run: () => 'sent',
          }),
        ],
      },
      onError: life.onError,
    },
    { ...decorators, jobHost: (host) => withBoundaries(life, notingDeliveries(life, host)) },
  );
}

function answer({ messages }: ModelRequest, asks: boolean): ScriptedAnswer {
  const last = messages.at(-1);
  if (last?.text.includes('fail')) return { error: { code: 'BAD', message: 'it cannot be done' } };
  if (asks && last?.role === 'user') return { toolCalls: [{ id: 'call_1', name: 'send' }] };
  return { text: 'it is done' };
}

/**
 * Faster than the clock of the machine, and the same in each process of a scenario. It stands still until the first of them has
 * opened its database: however long that takes, no slot is missed.
 */
class FastClock implements Clock {
  readonly #file: string;
  #begunAt: number | null;

  constructor(workspace: string) {
    this.#file = join(workspace, 'clock-begun-at');
    this.#begunAt = existsSync(this.#file) ? Number(readFileSync(this.#file, 'utf8')) : null;
  }

  begin(): void {
    if (this.#begunAt !== null) return;
    this.#begunAt = Date.now();
    writeFileSync(this.#file, String(this.#begunAt));
  }

  readonly now = (): number => {
    const passed = this.#begunAt === null ? 0 : Date.now() - this.#begunAt;
    return Math.round(clockBegins + passed * clockSpeed);
  };

  wakeAt(at: number, wake: () => void): () => void {
    const timer = setTimeout(
      wake,
      Math.min(Math.max(0, (at - this.now()) / clockSpeed), 2 ** 31 - 1),
    ).unref();
    return () => clearTimeout(timer);
  }

  hold(): () => void {
    const timer = setInterval(() => {}, 60_000);
    return () => clearInterval(timer);
  }
}

/** Every attempt at a delivery is noted before it is made. */
function notingDeliveries(life: JobLife, host: MachineHost): MachineHost {
  const name = 'effect.deliver';
  const handler = host.effects[name] as EffectHandler<JobRun>;
  const noting: EffectHandler<JobRun> = {
    ...handler,
    perform(job) {
      const { n, target, isAlert } = job.params;
      const id = deliveryKey({ n: Number(n), target: Number(target), isAlert: isAlert === true });
      life.record('attempts.jsonl', { id, pid: process.pid } satisfies Attempt);
      return handler.perform(job);
    },
  };
  return { ...host, effects: { ...host.effects, [name]: noting as EffectHandler } };
}

async function make(
  { jobs }: ScheduleParts,
  { id, from, definition }: JobOrder['jobs'][number],
): Promise<void> {
  try {
    await jobs.create({
      tenant: 1,
      id,
      user: null,
      source: 'user',
      definition,
      halt: null,
      from,
    });
  } catch (error) {
    if (!DetentError.is(error) || error.code !== 'JOB_EXISTS') throw error;
  }
}

/** Decides on what runs ask, until the job has no slot soon, no run at work and no delivery to make. */
async function settled(
  { order }: JobLife,
  detent: Detent,
  { jobs, store }: ScheduleParts,
  id: string,
  clock: Clock,
): Promise<void> {
  for (;;) {
    const job = await jobs.find(1, id);
    if (!job) return;
    const isAtWork = (await store.query('listOpenEffects', { run: job.row.run })).length > 0;
    if (!isAtWork && isSettled(job, clock.now())) return;
    if (order.asks) await decide(detent);
    await pause(10);
  }
}

/** Slots of a scenario are in the first minute. */
const soonMs = 60_000;

function isSettled({ context, row }: StoredJob, now: number): boolean {
  const { halt, firing, waiting, deliveries, planning, next } = context;
  if (row.ended === 1 || firing || waiting.length > 0 || deliveries.length > 0 || planning !== null)
    return false;
  return halt !== null || (next !== null && next !== 'none' && next.at > now + soonMs);
}

async function decide(detent: Detent): Promise<void> {
  for (const { runId } of await detent.runs.list({ status: ['waiting'] })) {
    const { pending } = await detent.runs.show(runId);
    // Another process may have been faster.
    for (const { callId, argumentsHash: hash } of pending)
      await detent.runs.confirm(runId, callId, { verdict: 'approve', hash }).catch(() => {});
  }
}
