import { expect, it } from 'vitest';
import { asking, type RunRow } from '../../../web/src/data/runs.ts';

const run = (runId: string, more: Partial<RunRow> = {}) => ({ runId, status: 'waiting', ...more }) as RunRow;

it('counts what a person must do once, also where a workflow waits for the run that asks', () => {
  const flow = { workflow: 'order' };
  const runs = [
    run('run_a', { asks: ['pay'] }),
    run('run_b', { ...flow, asks: ['ask'] }),
    run('run_b.c1', { parentRunId: 'run_b', asks: ['ask'] }),
    // It waits for an event, or for the clock.
    run('run_c', flow),
    // A person must say whether its step ran.
    run('run_d', { ...flow, asks: [] }),
    run('run_e', { status: 'running' }),
  ];
  expect(asking(runs).map(({ runId }) => runId)).toEqual(['run_a', 'run_b.c1', 'run_d']);
});
