import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnyMachineSnapshot, createActor, initialTransition, transition } from 'xstate';
import { callMachine } from '../../machines/call.machine.ts';
import type { OneCallInput } from '../../machines/call.setup.ts';
import { type CallsContext, idsIn } from '../../machines/calls.rules.ts';
import type { RunContext, RunEvent } from '../../machines/run.types.ts';
import { onlyCall } from '../../machines/run.types.ts';
import { allowedCommands, pathOf } from '../../src/engine/machine/decide.ts';
import { type TransitionPath, transitionPaths } from '../../src/testing/transition-paths.ts';
import { Conductor } from './conductor.ts';
import { comparable, expectWhole } from './expectations.ts';
import { graphLimits, runEventKey } from './run-graph.ts';
import { declaredTransitions, takenTransitions } from './transitions.ts';

const at = 0;
const callId = onlyCall;
const effectId = onlyCall;

/** Every event worth trying in a state. */
function callEvents(snapshot: AnyMachineSnapshot): RunEvent[] {
  const context = snapshot.context as CallsContext;
  const commands: RunEvent[] = [
    { type: 'run.cancel', at },
    { type: 'run.faulted', at, code: 'FAULT', message: 'scripted' },
  ];
  const decide = (...verdicts: ('approve' | 'reject' | 'modify')[]) =>
    verdicts.map((verdict) => ({ type: 'confirm.decide', at, callId, verdict }) as const);
  const facts: RunEvent[] = [
    { type: 'tool.done', at, effectId, key: 'k' },
    { type: 'tool.failed', at, effectId, code: 'TOOL_FAILED', key: 'k' },
    ...(context.pending[0]?.class === 'unsafe' ? [{ type: 'tool.uncertain', at, effectId } as const] : []),
    { type: 'effect.poisoned', at, effectId },
  ];
  const asked = { type: 'tool.asked', at, callId } as const;
  switch (pathOf(snapshot.value)) {
    case 'idle':
      return [...commands, { type: 'run.start', at }, { type: 'timer.queue', at }];
    case 'executing':
      return [
        ...commands,
        ...facts,
        asked,
        { type: 'run.resumed', at, lastAt: at },
        { type: 'timer.deadline', at },
        { type: idsIn(context, 'parked').length > 0 ? 'subrun.resumed' : 'subrun.parked', at, callId },
      ];
    case 'awaitingConfirm':
      // To the machine an answer is a change.
      return idsIn(context, 'asking').length > 0
        ? [...commands, ...decide('reject', 'modify'), ...facts, asked, { type: 'timer.confirm', at }]
        : [...commands, ...decide('approve', 'reject', 'modify'), { type: 'timer.confirm', at }];
    default: {
      const words = (['ran', 'retry', 'skip'] as const).map(
        (verdict) => ({ type: 'tool.reconcile', at, callId, verdict }) as const,
      );
      return [...commands, ...words, { type: 'timer.reconcile', at }];
    }
  }
}

function callKey({ value, context }: AnyMachineSnapshot): string {
  const { pending } = context as CallsContext;
  return `${pathOf(value)} ${pending.map(({ class: kind, state }) => `${kind} ${state}`).join()}`;
}

type CallPath = TransitionPath<RunEvent> & { input: OneCallInput };

const inputs = (['run', 'ask'] as const)
  .flatMap((gate) => (['readonly', 'unsafe'] as const).map((kind) => ({ gate, class: kind })))
  .map((call): OneCallInput => ({ limits: graphLimits, call }));
const refused: OneCallInput = { limits: graphLimits, call: { gate: 'refuse', class: 'readonly' } };

/** A path for every transition of the graph: there are few, so all are tried in every size. */
const paths: CallPath[] = [...inputs, refused].flatMap((input) =>
  transitionPaths<RunEvent>(callMachine, {
    input,
    events: callEvents,
    key: callKey,
    eventKey: runEventKey,
  }).map((path) => ({ ...path, input })),
);

function named({ events }: CallPath, error: unknown): Error {
  const types = events.map(({ type }) => type).join(' → ');
  return new Error(`on the path ${types}: ${error instanceof Error ? error.message : error}`, {
    cause: error,
  });
}

describe('the call machine', () => {
  it('takes every declared transition on its paths', () => {
    const taken = takenTransitions(callMachine, paths);
    expect([...declaredTransitions(callMachine)].filter((one) => !taken.has(one))).toEqual([]);
    expect(paths.length).toBeGreaterThan(100);
    console.log(
      `call machine: ${paths.length} paths, ${declaredTransitions(callMachine).size} declared transitions, 0 not taken`,
    );
  });

  it('behaves under a plain createActor as under the pure driver: state, context, and effects in order', () => {
    const performed: string[] = [];
    const perform = (type: string) => (_: unknown, params: unknown) =>
      void performed.push(`${type} ${JSON.stringify(params)}`);
    const hostActions = Object.keys(callMachine.implementations.actions).filter((name) => name.includes('.'));
    const live = callMachine.provide({
      actions: Object.fromEntries(hostActions.map((type) => [type, perform(type)])),
    });
    for (const { events, input } of paths) {
      performed.length = 0;
      const actor = createActor(live, { input }).start();
      let [pure, actions] = initialTransition(callMachine, input);
      const expected = actions.map(({ type, params }) => `${type} ${JSON.stringify(params)}`);
      for (const event of events as never[]) {
        actor.send(event);
        [pure, actions] = transition(callMachine, pure, event);
        expected.push(...actions.map(({ type, params }) => `${type} ${JSON.stringify(params)}`));
        const { value, context, status, output } = actor.getSnapshot();
        expect([value, context, status, output]).toEqual([
          pure.value,
          pure.context,
          pure.status,
          pure.output,
        ]);
      }
      expect(performed).toEqual(expected);
      actor.stop();
    }
  });

  describe('driven by the real runtime', () => {
    const conductor = new Conductor();
    beforeAll(() => conductor.open());
    afterAll(() => conductor.close());

    it('is after every event where the pure machine is, and offers the same commands', async () => {
      for (const path of paths)
        await compare(conductor, path).catch((error: unknown) => {
          throw named(path, error);
        });
    });
  });
});

async function compare(conductor: Conductor, { events, input }: CallPath): Promise<void> {
  await conductor.beginCall(input);
  let [pure] = initialTransition(callMachine, input);
  for (const event of events) {
    await conductor.play(event);
    [pure] = transition(callMachine, pure, event as never);
    const real = await conductor.look();
    expect(real.path).toBe(pathOf(pure.value));
    expect(comparable(real.context)).toEqual(comparable(pure.context as RunContext));
    const commands = allowedCommands(conductor.core.engine.hostOf('call'), pure);
    const sorted = (all: readonly object[]) => all.map((one) => JSON.stringify(one)).sort();
    expect(sorted(real.allowed)).toEqual(sorted(commands));
  }
  await expectWhole(conductor);
}
