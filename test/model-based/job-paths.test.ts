import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnyMachineSnapshot } from 'xstate';
import { jobMachine } from '../../machines/job.machine.ts';
import type { JobContext, JobDefinition, JobEvent } from '../../machines/job.types.ts';
import { replay } from '../../src/engine/log/replay.ts';
import { pathOf } from '../../src/engine/machine/decide.ts';
import type { MachineHost } from '../../src/engine/machine/machine-host.ts';
import { PureMachine } from '../../src/engine/machine/pure-machine.ts';
import { compose } from '../../src/runtime/compose.ts';
import type { Core } from '../../src/runtime/config/core.ts';
import { scriptedModel, transitionPaths } from '../../src/testing/index.ts';
import { modelOptions } from '../support/detent.ts';
import { inSizes } from '../support/size.ts';

/** Each how many paths one is driven: all of them at full size. */
const every = inSizes({ usual: 300, deep: 120, full: 1 });
const start = 1_000_000;

const definition: JobDefinition = {
  schedule: { kind: 'every', everyMs: 1_000, anchorMs: 0 },
  prompt: 'p',
  agent: null,
  skill: null,
  deliver: [{ kind: 'console' }],
  misfire: 'once',
  graceMs: 500,
  windowMs: null,
  overlap: 'queue',
  jitterMs: 0,
  pauseAfter: 2,
  alertAfter: null,
  alert: [],
  keep: 100,
  limits: null,
  budget: null,
  attempts: 2,
};
const failure = { code: 'X', message: 'x' };

/** The events that may come in a state, with the ids that they need. */
function eventsIn({ context }: AnyMachineSnapshot): JobEvent[] {
  const { planning, pruning, firing, deliveries, revision, cursor, waiting } = context as JobContext;
  const at = start;
  const slot = cursor + 1;
  const next = { slot: start + 60_000, at: start + 60_000 };
  const found = {
    type: 'slots.found' as const,
    revision,
    upTo: slot,
    more: false,
    skipped: [],
    fire: [],
    counted: 0,
  };
  const effects: JobEvent[] = [];
  if (planning !== null)
    effects.push(
      { ...found, effectId: planning, fire: [slot], next, at },
      { ...found, effectId: planning, skipped: [{ slot, reason: 'missed' }], next, at },
      { ...found, effectId: planning, next: null, at },
      { type: 'slots.failed', effectId: planning, error: failure, at },
      { type: 'effect.poisoned', effectId: planning, at },
    );
  if (pruning !== null) effects.push({ type: 'slots.pruned', effectId: pruning, at });
  if (firing) {
    const ended = { type: 'fire.ended', effectId: firing.effectId, runId: 'r', at } as const;
    effects.push(
      { type: 'fire.started', n: firing.n, runId: 'r', at },
      { ...ended, status: 'ok', error: null },
      { ...ended, status: 'failed', error: failure },
      { ...ended, status: 'cancelled', error: null },
      { type: 'effect.poisoned', effectId: firing.effectId, at },
    );
  }
  for (const { effectId } of deliveries)
    if (effectId !== null)
      effects.push(
        { type: 'delivery.done', effectId, at },
        { type: 'delivery.failed', effectId, error: failure, delayMs: 0, at },
        { type: 'delivery.failed', effectId, error: failure, delayMs: null, at },
        { type: 'effect.poisoned', effectId, at },
      );
  return [
    ...effects,
    { type: 'timer.slot', at },
    { type: 'timer.delivery', at },
    ...(waiting.length < 2 ? [{ type: 'job.run', at } as const] : []),
    ...(revision < 3 ? [{ type: 'job.update', definition, at } as const] : []),
    { type: 'job.pause', reason: 'r', at },
    { type: 'job.resume', at },
    { type: 'job.disable', reason: 'r', at },
    { type: 'job.enable', at },
    { type: 'job.remove', at },
    { type: 'job.faulted', code: 'X', message: 'x', at },
  ];
}

/** States with what a second round would show; the numbers of effects and slots do not count. */
function keyOf({ value, context, status }: AnyMachineSnapshot): string {
  const { planning, firing, waiting, deliveries, halt, failures, next } = context as JobContext;
  return JSON.stringify([
    status,
    value,
    planning !== null,
    firing && [firing.runId !== null, firing.stopping],
    Math.min(waiting.length, 2),
    deliveries.slice(0, 2).map(({ attempt, effectId }) => [attempt, effectId !== null]),
    halt?.as ?? null,
    Math.min(failures, 2),
    typeof next === 'object' ? next !== null : next,
  ]);
}

const paths = transitionPaths<JobEvent>(jobMachine, {
  input: { definition, from: start - 10_000 },
  events: (snapshot) => (snapshot.value === 'idle' ? [{ type: 'job.start', at: start }] : eventsIn(snapshot)),
  key: keyOf,
});

/** A clock that stands still and wakes nothing: timers come as events of a path. */
const still = { now: () => start, wakeAt: () => () => {}, hold: () => () => {} };

/** The host of jobs whose effects never answer: the test answers in their place. */
function silent(host: MachineHost): MachineHost {
  const effects = Object.entries(host.effects).map(([name, effect]) => [
    name,
    { ...effect, perform: () => new Promise<never>(() => {}) },
  ]);
  return { ...host, effects: Object.fromEntries(effects) };
}

describe('the job machine, driven by the real engine', () => {
  let core: Core;
  const driven = paths.filter((_, i) => i % every === 0);

  beforeAll(async () => {
    const options = modelOptions(scriptedModel([]), { clock: still, workspace: '.' });
    core = await compose(options, { jobHost: silent });
    core.worker.begin({} as never);
  });
  afterAll(() => core.close());

  it('has a path to each of its states', () => {
    const reached = new Set(paths.map(({ to }) => JSON.parse(to)[1]));
    expect([...reached].sort()).toEqual([
      'delivering',
      'disabled',
      'due',
      'failed',
      'paused',
      'removed',
      'running',
      'scheduled',
      'starting',
    ]);
  });

  it('goes where the chart goes, and its rows say what its context says', async () => {
    let events = 0;
    for (const [i, path] of driven.entries()) {
      await drive(`job-${i}`, path.events);
      events += path.events.length;
    }
    console.log(`job machine: ${driven.length} of ${paths.length} paths, ${events} events, 0 differences`);
  }, 600_000);

  async function drive(id: string, events: readonly JobEvent[]): Promise<void> {
    const { engine, jobs, store, hosts } = core;
    const from = start - 10_000;
    await jobs.create({ tenant: 1, id, user: null, source: 'user', definition, halt: null, from });
    const { row } = await jobs.get(1, id);
    const pure = new PureMachine(jobMachine);
    let [snapshot] = pure.initialTransition({ definition, from });
    for (const event of events) {
      [snapshot] = pure.transition(snapshot, event);
      if (event.type !== 'job.start') {
        const { at: _, ...sent } = event;
        expect((await engine.send(1, row.runId, { event: sent })).kind, event.type).toBe('moved');
      }
      await expectSame(id, row.runId, snapshot);
    }
    const run = await store.query('loadRun', { tenant: 1, id: row.runId });
    const log = await store.query('listEvents', { run: row.run, after: 0, limit: 1_000 });
    if (run) expect(replay(hosts, run, log)).toMatchObject({ diverged: null });
  }

  async function expectSame(id: string, runId: string, snapshot: AnyMachineSnapshot): Promise<void> {
    const { store } = core;
    const run = await store.query('loadRun', { tenant: 1, id: runId });
    const context = snapshot.context as JobContext;
    expect(pathOf(JSON.parse(run?.state ?? ''))).toBe(pathOf(snapshot.value));
    expect(JSON.parse(run?.context ?? '')).toEqual(context);
    if (snapshot.value === 'removed') return;
    const fires = await store.query('listFires', { tenant: 1, job: id, below: 1_000, limit: 1_000 });
    const numbers = (status: string) => fires.filter((fire) => fire.status === status).map(({ n }) => n);
    if (snapshot.status === 'active') {
      expect(numbers('waiting').sort()).toEqual(context.waiting.map(({ n }) => n).sort());
      expect(numbers('running')).toEqual(context.firing ? [context.firing.n] : []);
    }
    const rows = await Promise.all(
      fires.map(({ n }) => store.query('listDeliveries', { tenant: 1, job: id, n })),
    );
    expect(rows.flat().filter(({ status }) => status === 'pending')).toHaveLength(context.deliveries.length);
  }
});
