import { describe, expect, it } from 'vitest';
import type { RunRow } from '../../../../web/src/data/runs.ts';
import {
  activeInput,
  endedInput,
  filtersOf,
  folded,
  grouped,
  modelsOf,
  shownColumns,
  sinceOf,
} from '../../../../web/src/pages/runs/filters.ts';

const now = new Date(2026, 10, 22, 15, 36).getTime();
const read = (query: string) => filtersOf(new URLSearchParams(query));

describe('the address', () => {
  it('says which runs are shown', () => {
    expect(read('q=tea&session=shop&model=demo/demo&state=tooling&time=week')).toEqual({
      words: 'tea',
      session: 'shop',
      model: 'demo/demo',
      state: 'tooling',
      time: 'week',
    });
  });

  it('asks for no longer words than the gateway takes', () => {
    expect(read(`q=${'z'.repeat(400)}`).words).toHaveLength(200);
  });

  it('shows all of today where it says nothing, or what there is not', () => {
    expect(read('state=sleeping&time=ever')).toEqual(read(''));
  });
});

it('counts days on the reader’s clock', () => {
  expect(sinceOf('today', now)).toBe(new Date(2026, 10, 22).getTime());
  expect(sinceOf('week', now)).toBe(new Date(2026, 10, 16).getTime());
  expect(sinceOf('all', now)).toBeUndefined();
});

it('asks for what has not ended whenever it began, and for what ended in the range', () => {
  expect(activeInput(read('session=shop'))).toEqual({
    course: true,
    sessionId: 'shop',
    status: ['queued', 'unstarted', 'running', 'waiting', 'decided', 'interrupted'],
    limit: 200,
  });
  expect(endedInput(read(''), now, 100)).toEqual({
    course: true,
    status: ['done', 'failed', 'cancelled'],
    since: new Date(2026, 10, 22).getTime(),
    limit: 100,
  });
});

it('asks for no more than a column of the board can have', () => {
  expect(activeInput(read('state=failed'))).toBeNull();
  expect(endedInput(read('state=failed&time=all'), now, 100)).toEqual({
    course: true,
    status: ['failed'],
    limit: 100,
  });
  expect(endedInput(read('state=tooling'), now, 100)).toBeNull();
});

it('puts those that wait for a person first', () => {
  const run = (status: string, state: string) => ({ runId: state, status, state, model: 'a/b' }) as RunRow;
  const runs = [run('running', 'tooling'), run('waiting', 'awaitingConfirm'), run('queued', 'idle')];
  const { waiting, working } = grouped(runs, read(''));
  expect([waiting, working].map((group) => group.map(({ run }) => run.state))).toEqual([
    ['awaitingConfirm'],
    ['tooling', 'idle'],
  ]);
  expect(grouped(runs, read('state=tooling'))).toMatchObject({
    waiting: [],
    working: [{ run: { state: 'tooling' } }],
  });
  const task = { ...run('waiting', 'awaitingConfirm'), runId: 'run_a.c1', parentRunId: 'run_a' };
  const above = { ...run('waiting', 'tooling'), runId: 'run_a' };
  expect(grouped([task, above], read(''))).toMatchObject({
    waiting: [{ run: above, below: [task] }],
    working: [],
  });
  const other = { ...task, runId: 'run_a.c2' };
  expect(grouped([other, task, above], read(''))).toMatchObject({ asks: 2, waiting: [{ run: above }] });
  expect(modelsOf(runs, 'c/d')).toEqual(['a/b', 'c/d']);
});

it('has a column for workflows, whatever their states are called, once there are some', () => {
  expect(shownColumns({ workflow: 1 }, '')).toHaveLength(10);
  expect(shownColumns({ thinking: 1 }, '')).not.toContain('workflow');
  const flow = { workflow: 'order', status: 'waiting', state: 'done', asks: ['ask'] };
  const runs = [{ ...flow }, { ...flow, status: 'queued', state: '(queued)' }] as RunRow[];
  const shown = (state: string) => {
    const { waiting, working } = grouped(runs, read(`state=${state}`));
    return waiting.length + working.length;
  };
  expect(['workflow', 'idle', 'done', 'thinking'].map(shown)).toEqual([1, 1, 0, 0]);
});

it('has a column for runs at rest, whatever state holds them', () => {
  const runs = ['interrupted', 'decided'].map((status) => ({ status, state: 'tooling' })) as RunRow[];
  expect(grouped(runs, read('state=interrupted')).left).toHaveLength(2);
  expect(grouped(runs, read('state=tooling')).left).toEqual([]);
  expect(shownColumns({ interrupted: 1 }, '')).toContain('interrupted');
  expect(shownColumns({ thinking: 1 }, '')).not.toContain('interrupted');
});

it('folds runs under the one that began them, at any depth, where the list has it', () => {
  const run = (runId: string, parentRunId?: string) =>
    ({ runId, ...(parentRunId !== undefined && { parentRunId }) }) as RunRow;
  const runs = [run('ask', 'flow'), run('own'), run('deep', 'ask'), run('flow'), run('lost', 'elsewhere')];
  expect(folded(runs).map(({ run, below }) => [run.runId, below.map(({ runId }) => runId)])).toEqual([
    ['flow', ['ask', 'deep']],
    ['own', []],
    ['lost', []],
  ]);
});
