import { describe, expect, it, vi } from 'vitest';
import { createEmbeddedBus, noHints } from '../../../src/engine/bus.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { Rests } from '../../../src/runs/commands/rests.ts';
import type { RunRow, TakeableRun } from '../../../src/store/rows.ts';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import {
  asking,
  child,
  done,
  flow,
  isDriven,
  living,
  loadRun,
  moveRun,
  service,
  writeAgentRun,
  writeWorkflow,
} from '../../support/run-rows.ts';

function opened(driven: () => Promise<TakeableRun[]> = async () => []) {
  const store = openInMemory();
  const bus = createEmbeddedBus();
  /** The number of the transition after which the engine has work for the run. */
  const atWork = new Map<string, number>();
  const isAtWork = ({ id, seq }: Pick<RunRow, 'id' | 'seq'>) => atWork.get(id) === seq;
  const nothing = { awaits: () => false, wants: () => false, atWork: () => undefined };
  const engine = { ...nothing, isAtWork, isDriven, driven } as unknown as Engine;
  const rests = new Rests({ engine, store, bus, hints: noHints });
  /** A transition of a run, and its signal. */
  const move = async (id: string, to: Parameters<typeof moveRun>[2], path: string) => {
    await moveRun(store, id, to);
    bus.notify({ runId: id, type: 'transition', path });
  };
  return { store, bus, rests, move, atWork };
}

/** Whether a promise is settled after all that is ready has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const isLate = new Promise<true>((resolve) => setImmediate(() => setImmediate(() => resolve(true))));
  return (await Promise.race([promise, isLate])) !== true;
}

const asks = { state: asking, context: { pending: [] } };

describe('settled', () => {
  it('resolves for a workflow that waits for events and timers alone', async () => {
    const { store, rests } = opened();
    await writeWorkflow(store, []);
    expect(await rests.settled(1, 'run_w')).toMatchObject({ status: 'waiting' });
  });

  it('waits while the run of a service works, and wakes when that run asks a person', async () => {
    const { store, rests, move } = opened();
    await writeWorkflow(store, [service('run')]);
    await writeAgentRun(store, child(1));
    const settled = rests.settled(1, 'run_w');
    expect(await isSettled(settled)).toBe(false);
    await move(child(1), asks, 'active.awaitingConfirm');
    expect(await settled).toMatchObject({ status: 'waiting', waitsFor: child(1) });
  });

  it('reads no rows after a transition that leaves the run at work here', async () => {
    const { store, bus, rests, move, atWork } = opened();
    await writeWorkflow(store, [service('step')], { driver: living });
    const settled = rests.settled(1, 'run_w');
    expect(await isSettled(settled)).toBe(false);
    const query = vi.spyOn(store, 'query');
    atWork.set('run_w', 2);
    bus.notify({ runId: 'run_w', type: 'transition', path: 'next', seq: 2 });
    expect(await isSettled(settled)).toBe(false);
    expect(query).not.toHaveBeenCalled();
    await move('run_w', { state: 'next', context: flow([]) }, 'next');
    expect(await settled).toMatchObject({ status: 'waiting' });
  });

  it('waits while one run works beside another that asks', async () => {
    const { store, rests, move } = opened();
    await writeWorkflow(store, [service('run', 1), service('run', 2)]);
    await writeAgentRun(store, child(1), { ...asks, driver: 0 });
    await writeAgentRun(store, child(2));
    const settled = rests.settled(1, 'run_w');
    expect(await isSettled(settled)).toBe(false);
    await move(child(2), asks, 'active.awaitingConfirm');
    expect(await settled).toMatchObject({ status: 'waiting', waitsFor: child(1) });
  });

  it('waits past the end of a run until the workflow has heard of it', async () => {
    const { store, rests, move } = opened();
    await writeWorkflow(store, [service('run')]);
    await writeAgentRun(store, child(1));
    const settled = rests.settled(1, 'run_w');
    const end = { state: 'done', context: { pending: [] }, output: { outcome: 'completed', error: null } };
    await move(child(1), end, 'done');
    expect(await isSettled(settled)).toBe(false);
    await move('run_w', { state: 'booked', context: flow([]), output: done }, 'booked');
    expect(await settled).toMatchObject({ status: 'done' });
  });

  it('listens to a run that begins meanwhile, and to those below it', async () => {
    const { store, rests, move } = opened();
    await writeWorkflow(store, [service('step')], { driver: living });
    const settled = rests.settled(1, 'run_w');
    expect(await isSettled(settled)).toBe(false);
    await writeWorkflow(store, [service('run')], { id: child(2) });
    await writeAgentRun(store, child(1, child(2)));
    await move('run_w', { state: 'paying', context: flow([service('run', 2)]) }, 'paying');
    expect(await isSettled(settled)).toBe(false);
    await move(child(1, child(2)), asks, 'active.awaitingConfirm');
    expect(await settled).toMatchObject({ status: 'waiting', waitsFor: child(1, child(2)) });
  });
});

describe('rested', () => {
  it('waits for the workflow that goes on when a driven run ends', async () => {
    const store: { current?: ReturnType<typeof openInMemory> } = {};
    const { rests, move, ...parts } = opened(async () =>
      store.current ? [await loadRun(store.current, child(1))] : [],
    );
    store.current = parts.store;
    await writeWorkflow(parts.store, [service('run')]);
    const options = { parentRunId: 'run_w', parentCall: 'c1' };
    await writeAgentRun(parts.store, child(1), { options });
    const rested = rests.rested();
    const end = { state: 'done', context: { pending: [] }, output: { outcome: 'completed', error: null } };
    await move(child(1), end, 'done');
    expect(await isSettled(rested)).toBe(false);
    await move('run_w', { state: 'booked', context: flow([]), output: done }, 'booked');
    await rested;
  });
});
