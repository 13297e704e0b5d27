import { describe, expect, it } from 'vitest';
import { countRuns, listRuns } from '../../../src/runs/lists/list-runs.ts';
import { ask } from '../../../src/runs/rows/statements.ts';
import { listSessions } from '../../../src/runs/sessions/list-sessions.ts';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import {
  asking,
  child,
  done,
  isDriven,
  service,
  writeAgentRun,
  writeWorkflow,
} from '../../support/run-rows.ts';

async function listed(...args: [filter?: object]) {
  const store = openInMemory();
  const parent = { parentRunId: 'run_w', parentCall: 'c1' };
  await writeWorkflow(store, [service('run', 1)], {
    state: { paying: 'asking' },
    input: { order: 'o1', note: 'two\nlines' },
  });
  const options = { model: 'test/m', ...parent };
  const { pk: run } = await writeAgentRun(store, child(1), { state: asking, driver: 0, options });
  const body = JSON.stringify({ name: 'refund', arguments: '{}', why: 'x' });
  const question = { run, tenant: 1, call: 2, kind: 'confirm' as const, hash: 'h', body, askedAt: 1_000 };
  await store.commit(() => ask('insertConfirmation', question));
  await writeWorkflow(store, [], {
    id: 'run_done',
    state: 'active',
    output: done,
    input: 'book Bonn' as never,
  });
  const [filter = {}] = args;
  return { store, runs: await listRuns(store, isDriven, 1, { limit: 10, ...filter }, 5_000) };
}

describe('workflows in lists', () => {
  it('have the id of their chart, its state, their input and what their runs ask', async () => {
    const { runs } = await listed({ course: true });
    expect(runs.find(({ runId }) => runId === 'run_w')).toMatchObject({
      workflow: 'trip',
      agent: '',
      model: '',
      status: 'waiting',
      state: 'paying.asking',
      prompt: '{"order":"o1","note":"two\\nlines"}',
      asks: ['refund'],
      course: [['(queued)', 4_000]],
    });
    expect(runs.find(({ runId }) => runId === 'run_done')).toMatchObject({
      status: 'done',
      outcome: 'done',
      // A final state may be called as a state of agents' runs.
      state: 'active',
      prompt: 'book Bonn',
    });
  });

  it('are found by words of their input, and by no model', async () => {
    expect((await listed({ words: 'bonn' })).runs.map(({ runId }) => runId)).toEqual(['run_done']);
    expect((await listed({ model: 'test/m' })).runs.map(({ runId }) => runId)).toEqual([child(1)]);
  });

  it('are counted as what they are: states of charts may be called as those of agents are', async () => {
    const { store } = await listed();
    const failed = { outcome: 'failed', error: { code: 'X', message: 'x' } } as const;
    await writeWorkflow(store, [], { id: 'run_queued', state: '(queued)' });
    await writeWorkflow(store, [], { id: 'run_failed', state: '(failed)', output: failed });
    expect(await countRuns(store, () => true, 1, {})).toEqual({
      workflow: 1,
      idle: 1,
      awaitingConfirm: 1,
      done: 1,
      failed: 1,
    });
  });

  it('have the words of their question, where they ask one', async () => {
    const { store } = await listed();
    const ask = { approval: { text: 'Send\no1?' } };
    await writeAgentRun(store, 'run_asks', { options: { model: 'workflow/ask', ask } });
    const runs = await listRuns(store, isDriven, 1, { limit: 10 }, 5_000);
    expect(runs.find(({ runId }) => runId === 'run_asks')).toMatchObject({ prompt: 'Send o1?' });
  });

  it('say in the list of sessions where they stand', async () => {
    const { store } = await listed();
    const sessions = await listSessions(store, isDriven, 1, { limit: 10 });
    expect(sessions.find(({ sessionId }) => sessionId === 's:run_w')).toMatchObject({
      workflow: 'trip',
      status: 'waiting',
      state: 'paying.asking',
      asks: ['refund'],
    });
  });
});
