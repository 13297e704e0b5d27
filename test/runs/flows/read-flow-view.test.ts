import { describe, expect, it } from 'vitest';
import { ask } from '../../../src/runs/rows/statements.ts';
import { readRunView } from '../../../src/runs/views/read-run-view.ts';
import type { RunRow } from '../../../src/store/rows.ts';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import type { Store } from '../../../src/store/store.ts';
import {
  asking,
  child,
  done,
  flow,
  isDriven,
  service,
  writeAgentRun,
  writeWorkflow,
} from '../../support/run-rows.ts';

const setTimer = (store: Store, run: RunRow, id: string, event: string, dueAt: number) =>
  store.commit(() => ask('setTimer', { run: run.pk, tenant: 1, id, event, dueAt }));

const ask1 = (store: Store, run: RunRow, name: string, args = '{"amount":9}') =>
  store.commit(() =>
    ask('insertConfirmation', {
      run: run.pk,
      tenant: 1,
      call: 2,
      kind: 'confirm',
      hash: 'h',
      body: JSON.stringify({ name, arguments: args, why: 'tool default: ask' }),
      askedAt: 1_500,
    }),
  );

const effect = (store: Store, { pk: run }: RunRow, n: number, params: object) =>
  store.commit(() =>
    ask('insertEffect', {
      ...{ run, n, name: 'effect.run', params: JSON.stringify(params), input: null },
      ...{ status: 'started', attempt: 1, driver: null, fence: 1, tenant: 1, at: 1_000 },
    }),
  );

describe('the view of a workflow', () => {
  it('has its chart, its state, its context and what it was started with', async () => {
    const store = openInMemory();
    const row = await writeWorkflow(store, [], { state: { booking: 'hotel' }, input: { city: 'Bonn' } });
    expect(await readRunView(store, row, isDriven)).toMatchObject({
      runId: 'run_w',
      status: 'waiting',
      outcome: null,
      text: '',
      steps: [],
      pending: [],
      error: null,
      workflow: {
        id: 'trip',
        version: 1,
        state: { booking: 'hotel' },
        context: { city: 'Bonn' },
        input: { city: 'Bonn' },
        services: [],
        timers: [],
        spent: { tokens: 0, costUsd: 0 },
      },
    });
  });

  it('has the services at work, the run of each, and when a failed one begins again', async () => {
    const store = openInMemory();
    const open = [service('run', 1, 'hotel'), service('retry', 2, 'flight'), service('step', 3, 'pay')];
    const row = await writeWorkflow(store, open, { driver: 1 });
    await writeAgentRun(store, child(1), { state: asking, driver: 0 });
    await effect(store, row, 2, { effectId: 2, id: 'flight' });
    await setTimer(store, row, 'retry.2', 'flow.retry.2', 9_000);
    await setTimer(store, row, 'xstate.after.604800000.trip.x', 'xstate.after.604800000.trip.x', 7_000);
    await setTimer(store, row, 'xstate.after.patience.trip', 'xstate.after.patience.trip', 8_000);
    const view = await readRunView(store, row, isDriven);
    expect(view).toMatchObject({
      workflow: {
        services: [
          {
            id: 'hotel',
            effect: 1,
            callId: 'c1',
            status: 'open',
            run: { runId: child(1), status: 'waiting', outcome: null },
          },
          { id: 'flight', status: 'retrying', retryAt: 9_000 },
          { id: 'pay', kind: 'service', status: 'open' },
        ],
        timers: [
          { name: 'after 7 days', dueAt: 7_000 },
          { name: 'after patience', dueAt: 8_000 },
          { name: 'retry of flight', dueAt: 9_000 },
        ],
      },
    });
  });

  it('has what the runs below it ask, with the run that a person decides on', async () => {
    const store = openInMemory();
    const row = await writeWorkflow(store, [service('run', 1)]);
    await writeWorkflow(store, [service('run', 1)], { id: child(1) });
    const deepest = child(1, child(1));
    await ask1(store, await writeAgentRun(store, deepest, { state: asking, driver: 0 }), 'refund');
    const view = await readRunView(store, row, isDriven);
    expect(view).toMatchObject({ status: 'waiting', waitsFor: deepest });
    expect(view.pending).toMatchObject([
      { runId: deepest, kind: 'confirm', callId: 'c2', name: 'refund', arguments: { amount: 9 } },
    ]);
  });

  it('has null for what a call without an input brings, and no text', async () => {
    const store = openInMemory();
    const row = await writeWorkflow(store, [service('uncertain', 1)]);
    await ask1(store, row, 'charge', 'null');
    expect((await readRunView(store, row, isDriven)).pending).toMatchObject([{ arguments: null }]);
  });

  it('says how it ended, with the output of the chart', async () => {
    const store = openInMemory();
    const row = await writeWorkflow(store, [], { state: 'booked', output: done });
    const view = await readRunView(store, row, isDriven);
    expect(view).toMatchObject({ status: 'done', outcome: 'done', output: { booked: true }, error: null });
    const error = { code: 'NO_ROOM', message: 'no room is left' };
    const failed = await writeWorkflow(store, [], {
      id: 'run_f',
      state: '(failed)',
      output: { outcome: 'failed', error },
    });
    expect(await readRunView(store, failed, isDriven)).toMatchObject({ status: 'failed', error });
    const cancelled = await writeWorkflow(store, [], {
      id: 'run_c',
      state: '(cancelled)',
      output: { outcome: 'cancelled', error: { code: 'CANCELLED', message: 'enough' } },
    });
    expect(await readRunView(store, cancelled, isDriven)).toMatchObject({
      status: 'cancelled',
      error: null,
    });
  });

  it('of one that is queued has no context yet', async () => {
    const store = openInMemory();
    const row = await writeWorkflow(store, [], {
      state: '(queued)',
      context: flow([], { user: null }),
      driver: 1,
    });
    expect(await readRunView(store, row, isDriven)).toMatchObject({
      status: 'queued',
      states: ['(queued)'],
      workflow: { state: '(queued)', context: null },
    });
  });
});
