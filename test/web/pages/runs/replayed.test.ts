import { expect, it } from 'vitest';
import { replayed, sumOf } from '../../../../web/src/pages/runs/replayed.ts';

type Trace = Parameters<typeof replayed>[0];

const trace = (over: object) =>
  ({ runId: 'run_1', machine: { known: true }, lastSeq: 9, agrees: 9, ...over }) as Trace;

it('tells logs that agree from those that do not, and from those that nothing can be said of', () => {
  const found = [
    replayed(trace({})),
    replayed(trace({ agrees: 4, diverged: { seq: 5, what: 'the context differs' } })),
    replayed(trace({ machine: { known: false }, agrees: 0 })),
    { runId: 'run_2', kind: 'unread' as const, what: 'no run' },
  ];
  expect(sumOf(found)).toEqual({
    agree: 1,
    transitions: 9,
    unknown: 1,
    diverged: [{ runId: 'run_1', what: 'at seq 5: the context differs' }],
    unread: [{ runId: 'run_2', what: 'no run' }],
  });
});
