import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import type { Clock } from '../../../src/engine/clock.ts';
import type { EffectHandler, MachineHost } from '../../../src/engine/machine/machine-host.ts';
import { type Detent, DetentError, defineTool, type ModelRequest } from '../../../src/index.ts';
import { assemble } from '../../../src/runtime/create-detent.ts';
import { jobsOf } from '../../../src/schedule/door.ts';
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
  const detent = openJobs(life);
  return life.lead(detent, async () => {
    const scheduler = createScheduler(detent, {
      now: fastClock(order.begunAt).now,
      webhooks: { allowHosts: ['127.0.0.1'], timeoutMs: patienceMs },
    });
    for (const job of order.jobs) await make(detent, job);
    await scheduler.start();
    for (const { id } of order.jobs) await settled(life, detent, id);
    await scheduler.close();
  });
}

/** A Detent whose clock is faster than that of the machine, and the same in each process of the scenario. */
function openJobs(life: JobLife): Detent {
  const { workspace, url, begunAt, asks, thinkingMs } = life.order;
  const decorators = decoratorsOf(life);
  return assemble(
    {
      workspace,
      ...(url && { database: { url } }),
      env: {},
      clock: fastClock(begunAt),
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

function fastClock(begunAt: number): Clock {
  const now = () => Math.round(clockBegins + (Date.now() - begunAt) * clockSpeed);
  return {
    now,
    wakeAt(at, wake) {
      const timer = setTimeout(wake, Math.min(Math.max(0, (at - now()) / clockSpeed), 2 ** 31 - 1)).unref();
      return () => clearTimeout(timer);
    },
    hold() {
      const timer = setInterval(() => {}, 60_000);
      return () => clearInterval(timer);
    },
  };
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

async function make(detent: Detent, { id, from, definition }: JobOrder['jobs'][number]): Promise<void> {
  try {
    await (await jobsOf(detent)).create({
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
async function settled({ order: { asks, begunAt } }: JobLife, detent: Detent, id: string): Promise<void> {
  const jobs = await jobsOf(detent);
  for (;;) {
    const job = await jobs.find(1, id);
    if (!job || isSettled(job, fastClock(begunAt).now())) return;
    if (asks) await decide(detent);
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
