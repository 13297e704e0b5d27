import { expect, it, onTestFinished, vi } from 'vitest';
import { assign, setup } from 'xstate';
import { checkWorkflow, refuseFaulty } from '../../../src/workflow/check/check-workflow.ts';
import { workflow } from '../../../src/workflow/index.ts';

const calls = { count: 0 };
const isFine = () => {
  calls.count++;
  console.log('asked');
  console.error('asked');
  process.stdout.write('asked');
  process.stderr.write('asked');
  return true;
};
const chatty = () =>
  workflow(
    setup({ guards: { isFine }, actions: { note: assign(() => (isFine() ? {} : {})) } }).createMachine({
      id: 'chatty',
      version: '1',
      initial: 'a',
      states: {
        a: { on: { go: { guard: 'isFine', target: 'b', actions: 'note' } }, after: { 1000: 'b' } },
        b: { type: 'final' },
      },
    }),
  );

it('a chart that is tried prints nothing, and prints again afterwards', () => {
  const streams = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation(() => true),
  );
  const logs = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')].map((spy) =>
    spy.mockImplementation(() => {}),
  );
  const spies = [...streams, ...logs];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  calls.count = 0;
  checkWorkflow(chatty());
  expect(calls.count).toBeGreaterThan(0);
  expect(spies.map((spy) => spy.mock.calls.length)).toEqual([0, 0, 0, 0]);
  isFine();
  expect(spies.map((spy) => spy.mock.calls.length)).toEqual([1, 1, 1, 1]);
});

it('a workflow is tried once in a process, however often it is opened', () => {
  const one = chatty();
  refuseFaulty(one);
  const { count } = calls;
  refuseFaulty(one);
  expect(calls.count).toBe(count);
});
