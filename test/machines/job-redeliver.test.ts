import { describe, expect, it } from 'vitest';
import { jobMachine } from '../../machines/job.machine.ts';
import type { JobContext, JobEvent } from '../../machines/job.types.ts';
import { PureMachine } from '../../src/engine/machine/pure-machine.ts';

const machine = new PureMachine(jobMachine);
const delivery = { n: 4, target: 0, isAlert: false };

/** A job at rest, whose last slot was number 5. */
function job(over: Partial<JobContext> = {}) {
  const halt = { as: 'paused', reason: 'for a test' } as const;
  const definition = { keep: 9 };
  const carried = {
    definition,
    count: 5,
    effectCount: 0,
    deliveries: [],
    waiting: [],
    firing: null,
    halt,
    ...over,
  };
  const [idle] = machine.initialTransition({ definition, from: 0, carried });
  return machine.transition(idle, { type: 'job.start', at: 1 } as JobEvent)[0];
}

function redeliver(snapshot = job(), of: Partial<typeof delivery> = {}) {
  const event = { type: 'job.redeliver', ...delivery, ...of, at: 2 } as JobEvent;
  const [next, actions] = machine.transition(snapshot, event);
  const done = actions as { type: string; params: unknown }[];
  return { next, actions: done.map(({ type, params }) => ({ type, params })) };
}

describe('a delivery that was given up', () => {
  it('has all its attempts again, while its job stands still', () => {
    const { next, actions } = redeliver();
    expect(next.value).toBe('paused');
    expect((next.context as JobContext).deliveries).toEqual([
      { ...delivery, attempt: 1, effectId: 1, dueAt: 0 },
    ]);
    expect(actions).toEqual([
      { type: 'delivery.reopen', params: delivery },
      { type: 'effect.deliver', params: { ...delivery, effectId: 1, attempt: 1 } },
    ]);
  });

  it('is not made twice at once', () => {
    const { next } = redeliver();
    expect(redeliver(next).actions).toEqual([]);
    expect(redeliver(next, { isAlert: true }).actions).toHaveLength(2);
  });

  it('is none of a slot whose run has not ended', () => {
    expect(redeliver(job(), { n: 6 }).actions).toEqual([]);
    const waiting = [{ n: 4, slot: 0, kind: 'slot' as const }];
    expect(redeliver(job({ waiting })).actions).toEqual([]);
  });
});
