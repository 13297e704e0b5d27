import { setup } from 'xstate';
import { step, workflow } from '../../src/workflow/index.ts';

const work = step({
  sideEffect: 'idempotent',
  run: async (_, { signal }) =>
    new Promise<void>((resolve) => {
      setTimeout(resolve, 50);
      signal.addEventListener('abort', () => resolve());
    }),
});

const chart = (version: '1' | '2') =>
  setup({ actors: { work } }).createMachine({
    id: 'order',
    version,
    initial: 'packing',
    states: {
      packing: { invoke: { src: 'work', onDone: version === '1' ? 'over' : 'sending', onError: 'failed' } },
      ...(version === '2' && { sending: { invoke: { src: 'work', onDone: 'over', onError: 'failed' } } }),
      over: { type: 'final' },
      failed: { type: 'final', tags: 'failed' },
    },
  });

/** The workflows of a program of one version; that of the second knows the first. */
export const ordersOf = (version: string) =>
  version === '1' ? [workflow(chart('1'))] : [workflow(chart('2'), { earlier: [chart('1')] })];
