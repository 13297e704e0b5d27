import { describe, expect, it } from 'vitest';
import { runStatus, statusAmongRuns } from '../../../src/runs/rows/run-status.ts';
import { ask } from '../../../src/runs/rows/statements.ts';
import type { RunRow } from '../../../src/store/rows.ts';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import {
  asking,
  child,
  dead,
  done,
  flow,
  isDriven,
  living,
  service,
  writeAgentRun,
  writeWorkflow,
} from '../../support/run-rows.ts';

const opened = () => openInMemory();
type Opened = ReturnType<typeof opened>;

const standing = (store: Opened, row: RunRow) => statusAmongRuns(store, row, isDriven);

async function openEffect(store: Opened, { pk: run }: RunRow, status: 'pending' | 'started') {
  const effect = {
    run,
    n: 1,
    name: 'effect.step',
    params: '{}',
    input: null,
    status,
    attempt: 0,
    driver: null,
    fence: 1,
  };
  await store.commit(() =>
    ask('insertEffect', {
      ...effect,
      status: status as 'pending',
      driver: null,
      fence: 1,
      tenant: 1,
      at: 1_000,
    }),
  );
}

describe('the status of a workflow without runs of its services', () => {
  it('is that of its queue, and then how it ended', async () => {
    const store = opened();
    const queued = await writeWorkflow(store, [], {
      state: '(queued)',
      context: flow([], { user: null }),
      driver: living,
    });
    expect(await standing(store, queued)).toEqual({ status: 'queued' });
    for (const outcome of ['done', 'failed', 'cancelled'] as const) {
      const output = { ...done, outcome };
      // The name of a final state says nothing: a chart may call the one of success "failed".
      const row = await writeWorkflow(store, [], { id: `run_${outcome}`, state: 'failed', output });
      expect(await standing(store, row)).toEqual({ status: outcome });
    }
  });

  it('waits for events and timers when nothing is open, and between two attempts', async () => {
    const store = opened();
    expect(await standing(store, await writeWorkflow(store, []))).toEqual({ status: 'waiting' });
    const again = await writeWorkflow(store, [service('retry')], { id: 'run_r' });
    expect(await standing(store, again)).toEqual({ status: 'waiting' });
  });

  it('waits for a person while it is unknown whether a step ran', async () => {
    const store = opened();
    const row = await writeWorkflow(store, [service('step', 1), service('uncertain', 2)], { driver: living });
    expect(await standing(store, row)).toEqual({ status: 'waiting' });
  });

  it.each(['step', 'action'] as const)('works while one %s is open', async (kind) => {
    const store = opened();
    const row = await writeWorkflow(store, [service(kind)], { driver: living });
    expect(await standing(store, row)).toEqual({ status: 'running' });
    const left = await writeWorkflow(store, [service(kind)], { id: 'run_left', driver: dead });
    await openEffect(store, left, 'started');
    expect(await standing(store, left)).toEqual({ status: 'interrupted' });
    const decided = await writeWorkflow(store, [service(kind)], { id: 'run_decided', driver: null });
    await openEffect(store, decided, 'pending');
    expect(await standing(store, decided)).toEqual({ status: 'decided' });
  });

  it('does not depend on how its chart calls its states', async () => {
    const store = opened();
    for (const state of ['idle', 'done', { active: 'awaitingConfirm' }, { active: { working: 'x' } }]) {
      const id = `run_${JSON.stringify(state).replaceAll(/\W/g, '')}`;
      const row = await writeWorkflow(store, [service('step')], { id, state, driver: living });
      expect(runStatus(row, isDriven), id).toBe('running');
    }
  });
});

describe('the status of a workflow that waits for the runs of its services', () => {
  it('is running before a run has begun, and while one runs', async () => {
    const store = opened();
    const { linked: _, ...beginning } = service('run');
    const row = await writeWorkflow(store, [beginning], { driver: living });
    expect(await standing(store, row)).toEqual({ status: 'running' });
    const left = await writeWorkflow(store, [beginning], { id: 'run_left', driver: dead });
    expect(await standing(store, left)).toEqual({ status: 'interrupted' });
    const linked = await writeWorkflow(store, [service('run')], { id: 'run_v' });
    await writeAgentRun(store, child(1, 'run_v'));
    expect(await standing(store, linked)).toEqual({ status: 'running' });
  });

  it('waits for a person when one of them asks, however deep, and names that run', async () => {
    const store = opened();
    const row = await writeWorkflow(store, [service('run', 1), service('run', 2)]);
    await writeAgentRun(store, child(1));
    await writeWorkflow(store, [service('run', 1)], { id: child(2) });
    const deepest = child(1, child(2));
    await writeAgentRun(store, deepest, { state: asking, driver: 0 });
    expect(await standing(store, row)).toEqual({ status: 'waiting', waitsFor: deepest });
  });

  it('waits when a child waits for events alone, and runs when another one runs', async () => {
    const store = opened();
    const one = await writeWorkflow(store, [service('run', 1)]);
    await writeWorkflow(store, [], { id: child(1) });
    expect(await standing(store, one)).toEqual({ status: 'waiting', waitsFor: child(1) });
    const two = await writeWorkflow(store, [service('run', 1), service('run', 2)], { id: 'run_two' });
    await writeWorkflow(store, [], { id: child(1, 'run_two') });
    await writeAgentRun(store, child(2, 'run_two'));
    expect(await standing(store, two)).toEqual({ status: 'running' });
  });

  it('is interrupted with the driver of a run', async () => {
    const store = opened();
    const row = await writeWorkflow(store, [service('run')]);
    await writeAgentRun(store, child(1), { driver: dead });
    expect(await standing(store, row)).toEqual({ status: 'interrupted' });
  });

  it('runs when a run has ended and a living driver tells it so, and is interrupted without one', async () => {
    const store = opened();
    const ended = { output: { outcome: 'completed' }, state: 'done', driver: 0 };
    const row = await writeWorkflow(store, [service('run')]);
    await writeAgentRun(store, child(1), ended);
    expect(await standing(store, row)).toEqual({ status: 'running' });
    const left = await writeWorkflow(store, [service('run')], { id: 'run_left', lastDriver: dead });
    await writeAgentRun(store, child(1, 'run_left'), ended);
    expect(await standing(store, left)).toEqual({ status: 'interrupted' });
  });

  it('is running while a step runs beside a run that asks', async () => {
    const store = opened();
    const row = await writeWorkflow(store, [service('step', 1), service('run', 2)], { driver: living });
    await writeAgentRun(store, child(2), { state: asking, driver: 0 });
    expect(await standing(store, row)).toEqual({ status: 'running' });
  });

  it('of a fork that was never resumed is unstarted: its runs have not begun', async () => {
    const store = opened();
    const row = await writeWorkflow(store, [service('run')], { lastDriver: null });
    await openEffect(store, row, 'pending');
    expect(await standing(store, row)).toEqual({ status: 'unstarted' });
  });
});
