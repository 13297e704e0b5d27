import { describe, expect, it } from 'vitest';
import { createActor, initialTransition, transition } from 'xstate';
import { runMachine } from '../../machines/run.machine.ts';
import { representatives } from './representatives.ts';
import { graphPaths, type RunPath } from './run-graph.ts';

const paths = representatives(graphPaths());
const hostActions = [
  'effect.callModel',
  'effect.runTool',
  'effect.flush',
  'effect.compact',
  'effect.hold',
  'effect.abort',
  'timer.set',
  'timer.clear',
  'confirm.request',
  'question.close',
  'call.close',
] as const;

describe('the run machine under a plain createActor', () => {
  it('behaves on every path of its graph as it does under the pure driver: state, context, and effects in order', () => {
    const performed: string[] = [];
    const perform = (type: string) => (_: unknown, params: unknown) => {
      performed.push(`${type} ${JSON.stringify(params)}`);
    };
    const live = runMachine.provide({
      actions: Object.fromEntries(hostActions.map((type) => [type, perform(type)])),
    });
    let events = 0;
    for (const path of paths) events += compare(path, live, performed);
    expect(events).toBeGreaterThan(paths.length);
    console.log(`live actor: ${paths.length} paths, ${events} events, 0 differences`);
  });
});

function compare({ events, input }: RunPath, live: typeof runMachine, performed: string[]): number {
  performed.length = 0;
  const actor = createActor(live, { input }).start();
  let [pure, actions] = initialTransition(runMachine, input);
  const expected = actions.map(({ type, params }) => `${type} ${JSON.stringify(params)}`);
  for (const event of events) {
    actor.send(event);
    [pure, actions] = transition(runMachine, pure, event);
    expected.push(...actions.map(({ type, params }) => `${type} ${JSON.stringify(params)}`));
    const { value, context, status, output } = actor.getSnapshot();
    expect({ value, context, status, output }).toEqual({
      value: pure.value,
      context: pure.context,
      status: pure.status,
      output: pure.output,
    });
  }
  expect(performed).toEqual(expected);
  actor.stop();
  return events.length;
}
