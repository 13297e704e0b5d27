import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnyMachineSnapshot, initialTransition, transition } from 'xstate';
import { idsAtWork } from '../../machines/calls.rules.ts';
import { runMachine } from '../../machines/run.machine.ts';
import type { RunContext, RunEvent } from '../../machines/run.types.ts';
import { pathOf } from '../../src/engine/machine/decide.ts';
import { inSizes } from '../support/size.ts';
import { Conductor } from './conductor.ts';
import { comparable, expectWhole } from './expectations.ts';
import { graphLimits, outputEvents, type PathInput, runEvents } from './run-graph.ts';

const walks = inSizes({ usual: 8, deep: 30, full: 1_000 });

/** What happens besides the next event: nothing, the process dies, or a fact comes twice or too late. */
const step = fc.record({
  pick: fc.nat(),
  before: fc.constantFrom('nothing', 'nothing', 'nothing', 'crash', 'stale'),
});

describe('random walks through the real runtime', () => {
  const conductor = new Conductor();
  beforeAll(() => conductor.open());
  afterAll(() => conductor.close());

  it('stay with the pure machine through crashes and stale facts', async () => {
    const seen = { events: 0, crashes: 0, stale: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        await walk(conductor, steps, seen);
      }),
      { numRuns: walks, endOnFailure: true },
    );
    console.log(
      `walks: ${walks}, ${seen.events} events, ${seen.crashes} crashes, ${seen.stale} stale facts, 0 differences`,
    );
    expect(seen.crashes).toBeGreaterThan(0);
    expect(seen.stale).toBeGreaterThan(0);
  });
});

async function walk(
  conductor: Conductor,
  steps: readonly { pick: number; before: string }[],
  seen: { events: number; crashes: number; stale: number },
): Promise<void> {
  const { input, eventsIn } = kindOf(steps[0]?.pick ?? 0);
  await conductor.begin(input, true);
  let [pure]: [AnyMachineSnapshot, unknown] = initialTransition(runMachine, input);
  const facts: Extract<RunEvent, { effectId: number }>[] = [];
  let crashes = 0;
  for (const { pick, before } of steps) {
    if (pure.status !== 'active') break;
    // Three take-overs without a fact would fail the run as poisoned, which is tested by itself.
    if (before === 'crash' && crashes < 2 && pathOf(pure.value) !== 'idle') {
      crashes++;
      seen.crashes++;
      await conductor.crash();
      pure = afterCrash(pure);
      await expectSame(conductor, pure);
    }
    const stale = facts[pick % Math.max(1, facts.length)];
    if (before === 'stale' && stale) {
      seen.stale++;
      expect(await conductor.playStale(stale)).not.toBe('moved');
      await expectSame(conductor, pure);
    }
    const events = eventsIn(pure).filter((event) => !isEnding(event, pick));
    const event = events[pick % Math.max(1, events.length)];
    if (!event) break;
    await conductor.play(event);
    if ('effectId' in event && event.type !== 'tool.uncertain') facts.push(event);
    [pure] = transition(runMachine, pure as never, event);
    seen.events++;
    await expectSame(conductor, pure);
  }
  await expectWhole(conductor);
}

/** One run in four has an output schema. */
function kindOf(pick: number): {
  input: PathInput;
  eventsIn: (snapshot: AnyMachineSnapshot) => RunEvent[];
} {
  const limits = graphLimits;
  if (pick % 4 === 0) return { input: { limits, hasOutput: true }, eventsIn: outputEvents };
  return { input: { limits }, eventsIn: runEvents };
}

/** Most walks should go far, so what ends a run at once is picked seldom. */
function isEnding(event: RunEvent, pick: number): boolean {
  const ends =
    ['run.cancel', 'run.faulted', 'effect.poisoned', 'timer.deadline', 'timer.queue'].includes(event.type) ||
    (event.type === 'model.done' && event.calls.length === 0) ||
    (event.type === 'model.failed' && !event.error.retryable);
  return ends && pick % 7 !== 0;
}

/** The events of the next driver: that it took the run over, and which calls have an unknown outcome. */
function afterCrash(before: AnyMachineSnapshot): AnyMachineSnapshot {
  let [after]: [AnyMachineSnapshot, unknown] = transition(runMachine, before as never, {
    type: 'run.resumed',
    at: 0,
    lastAt: 0,
  });
  const { pending } = before.context as RunContext;
  for (const effectId of idsAtWork(before.context as RunContext))
    if (pending.find((call) => call.id === effectId)?.class === 'unsafe')
      [after] = transition(runMachine, after as never, { type: 'tool.uncertain', at: 0, effectId });
  return after;
}

async function expectSame(conductor: Conductor, pure: AnyMachineSnapshot): Promise<void> {
  const real = await conductor.look();
  expect(real.path).toBe(pathOf(pure.value));
  expect(comparable(real.context)).toEqual(comparable(pure.context as RunContext));
}
