import { type AnyStateMachine, createMachine } from 'xstate';
import { checkWorkflow } from '../../../src/workflow/check/check-workflow.ts';
import type { Samples } from '../../../src/workflow/check/walk.ts';
import { step } from '../../../src/workflow/services.ts';
import { workflow } from '../../../src/workflow/workflow.ts';

export const pay = step({ sideEffect: 'readonly', run: () => null });

/** An invocation with which nothing is wrong. */
export const paying = { id: 'p', src: 'pay', onDone: 'over', onError: 'over' };

interface Named {
  actors?: object;
  actions?: object;
  guards?: object;
  delays?: object;
}

/** A chart that has the service `pay` and the action `note`. */
export function chartOf(config: object, named: Named = {}): AnyStateMachine {
  const { actors, actions } = named;
  return createMachine(
    { id: 'chart', version: '1', ...config } as never,
    { ...named, actors: { pay, ...actors }, actions: { note() {}, ...actions } } as never,
  ) as unknown as AnyStateMachine;
}

/** A chart of the state `a`, which ends after a second. */
export function stateA(a: object, named: Named = {}, more: object = {}): AnyStateMachine {
  const states = { a: { after: { 1000: 'over' }, ...a }, over: { type: 'final' } };
  return chartOf({ initial: 'a', context: {}, states, ...more }, named);
}

/** `CODE state` of each finding. */
export function codesOf(chart: AnyStateMachine, samples?: Samples): string[] {
  const known = { agents: ['default'], tools: ['look_up'] };
  return checkWorkflow(workflow(chart), samples, known).map(({ code, state }) => `${code} ${state}`);
}
