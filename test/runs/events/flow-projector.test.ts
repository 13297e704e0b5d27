import { expect, it } from 'vitest';
import { readRunEvents } from '../../../src/runs/events/read-run-events.ts';
import { readEvents } from '../../../src/runs/history/events.ts';
import { ask } from '../../../src/runs/rows/statements.ts';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import { loadRun, writeWorkflow } from '../../support/run-rows.ts';

async function logged(output?: object) {
  const store = openInMemory();
  const events: [type: string, path: string, body?: object][] = [
    ['run.start', 'paying'],
    ['service.uncertain', 'paying', { effectId: 1 }],
    ['tool.reconcile', 'paying', { callId: 1, verdict: 'ran' }],
    // What an agent's run would call its own.
    ['flush.done', 'paying', { calls: [null], error: 'x' }],
    ['xstate.after.60000.trip.paying', 'booked'],
  ];
  const { pk: run } = await writeWorkflow(store, [], { seq: events.length, ...(output && { output }) });
  const body = JSON.stringify({ name: 'pay', arguments: '{"amount":3}', why: 'its process ended' });
  const params = JSON.stringify({ effectId: 1, id: 'pay' });
  await store.commit(function* () {
    for (const [i, [type, path, body = {}]] of events.entries()) {
      const event = {
        run,
        tenant: 1,
        seq: i + 1,
        type,
        path,
        at: 2_000 + i,
        hash: 'h',
        key: null,
        inFeed: 1 as const,
      };
      yield* ask('insertEvent', { ...event, body: JSON.stringify(body) });
    }
    const question = { run, tenant: 1, call: 1, kind: 'reconcile' as const, hash: '', body, askedAt: 2_001 };
    yield* ask('insertConfirmation', question);
    const effect = { run, n: 1, name: 'effect.step', params, input: null, status: 'done' as const };
    yield* ask('insertEffect', { ...effect, attempt: 1, driver: null, fence: 1, tenant: 1, at: 2_000 });
  });
  return store;
}

it('the timeline of a workflow has its beginning, its states, what a person is asked, and its end', async () => {
  const store = await logged({ outcome: 'done', output: { booked: true }, error: null });
  const events = await Array.fromAsync(readRunEvents(store, 1, 'run_w', 0));
  expect(events.map(({ event }) => event)).toEqual([
    'lifecycle.start',
    'state.changed',
    'state.changed',
    'tool.confirm_request',
    'state.changed',
    'tool.confirm_resolved',
    'state.changed',
    'workflow.event',
    'state.changed',
    'workflow.event',
    'lifecycle.end',
  ]);
  expect(events[0]?.payload).toMatchObject({ workflow: 'trip', agentName: '' });
  expect(events[1]?.payload).toMatchObject({ from: '(queued)', to: 'paying' });
  expect(events[3]?.payload).toMatchObject({ callId: 'c1', name: 'pay', kind: 'reconcile' });
  expect(events[5]?.payload).toMatchObject({ callId: 'c1', verdict: 'ran' });
  // A chart's event may be called as an agent's fact is.
  expect(events.flatMap(({ event, payload }) => (event === 'workflow.event' ? [payload] : []))).toEqual([
    { name: 'flush.done', from: 'outside', content: '{"calls":[null],"error":"x"}' },
    { name: 'after 60 s', from: 'timer' },
  ]);
  expect(events.at(-1)?.payload).toMatchObject({ outcome: 'done', content: '{"booked":true}' });
});

it('a workflow that failed ends with its error', async () => {
  const error = { code: 'NO_ROOM', message: 'no room' };
  const store = await logged({ outcome: 'failed', error });
  expect((await Array.fromAsync(readRunEvents(store, 1, 'run_w', 4))).at(-1)).toMatchObject({
    event: 'lifecycle.error',
    payload: { status: 'failed', error },
  });
});

it('the log of a workflow has its events in the names of the chart', async () => {
  const store = await logged();
  const events = await Array.fromAsync(readEvents(store, await loadRun(store, 'run_w')));
  expect(events.map(({ label }) => label)).toEqual([
    'run.start',
    'pay uncertain',
    'pay decided',
    'flush.done',
    'after 60 s',
  ]);
});
