import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, createMachine } from 'xstate';
import { innerNames } from '../../../src/workflow/facade/inner-names.ts';
import { workflow } from '../../../src/workflow/workflow.ts';

const chart = (id: string | undefined, actors: Record<string, AnyStateMachine> = {}) =>
  createMachine({ ...(id !== undefined && { id }) } as never, { actors } as never) as AnyStateMachine;

describe('the names of charts within charts', () => {
  it('are their own ids', () => {
    const inner = chart('inner');
    const names = innerNames([workflow(chart('outer', { work: inner }))]);
    expect([...names.values()]).toEqual(['outer', 'inner']);
  });

  it('are their places, when they have no id, or none that a command could name', () => {
    const deepest = chart('traffic light');
    const within = chart(undefined, { 'the deepest': deepest });
    const names = innerNames([workflow(chart(undefined, { work: within }), { id: 'outer' })]);
    expect([names.get(within), names.get(deepest)]).toEqual(['outer.work', 'outer.work.the-deepest']);
  });

  it('are their places, when several have one id, in whatever order workflows are declared', () => {
    const [one, two, three] = [chart('worker'), chart('worker'), chart('a')];
    const declared = [workflow(chart('a', { w: one })), workflow(chart('b', { w: two, v: three, u: one }))];
    for (const order of [declared, declared.toReversed()]) {
      const names = innerNames(order);
      expect([names.get(two), names.get(three)]).toEqual(['b.w', 'b.v']);
    }
    expect(innerNames(declared).get(one)).toBe('a.w');
  });

  it('never meet', () => {
    const [one, two] = [chart(undefined), chart(undefined)];
    const names = innerNames([workflow(chart('a', { 'b c': one, 'b/c': two }))]);
    expect([names.get(one), names.get(two)]).toEqual(['a.b-c', 'a.b-c-2']);
  });
});
