import { describe, expect, it } from 'vitest';
import { emit, setup } from 'xstate';
import { workflow } from '../../../src/workflow/index.ts';
import { scripted } from '../../support/detent.ts';

const bell = workflow(
  setup({
    types: { events: {} as { type: 'rung' }, emitted: {} as { type: 'rang'; times: number } },
  }).createMachine({
    id: 'bell',
    version: '1',
    initial: 'quiet',
    states: {
      quiet: {
        on: { rung: { target: 'done', actions: emit({ type: 'rang', times: 3 }) } },
        after: { 60000: 'done' },
      },
      done: { type: 'final' },
    },
  }),
);

describe('what a chart emits', () => {
  it('reaches those who watch the run, behind the transition that emitted it', async () => {
    const { detent } = await scripted([], { workflows: [bell] });
    const run = detent.workflows.start('bell');
    await run.result;
    const told: unknown[] = [];
    detent.on(
      run.runId,
      ({ type, seq, event }) => void told.push(type === 'emitted' ? event : `${type} ${seq}`),
    );
    await detent.workflows.send(run.runId, { type: 'rung' } as never);
    await run.result;
    expect(told).toEqual(['transition 2', { type: 'rang', times: 3 }]);
  });
});
