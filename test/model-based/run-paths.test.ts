import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { initialTransition, transition } from 'xstate';
import { runMachine } from '../../machines/run.machine.ts';
import type { RunContext, RunEvent } from '../../machines/run.types.ts';
import { allowedCommands, pathOf } from '../../src/engine/decide.ts';
import { replay } from '../../src/engine/replay.ts';
import { type TransitionPath, transitionPaths } from '../../src/testing/transition-paths.ts';
import { isFullSize } from '../support/size.ts';
import { Conductor } from './conductor.ts';
import { graphLimits, runEventKey, runEvents, runKey } from './run-graph.ts';
import { declaredTransitions, takenTransitions } from './transitions.ts';

const allPaths = transitionPaths<RunEvent>(runMachine, {
  input: { limits: graphLimits },
  events: runEvents,
  key: runKey,
  eventKey: runEventKey,
});
/** One path for each transition between states and sets of calls; the counters' own rounds come with the full size. */
const paths = isFullSize ? allPaths : representatives(allPaths);

function representatives(all: readonly TransitionPath<RunEvent>[]): TransitionPath<RunEvent>[] {
  const chosen = new Map<string, TransitionPath<RunEvent>>();
  const withoutCounters = (key: string) => key.split(' ').slice(0, 2).join(' ');
  for (const path of all) {
    const last = path.events.at(-1) as RunEvent;
    const edge = `${withoutCounters(path.from)} ${runEventKey(last)} ${path.to.split(' ')[0]}`;
    const known = chosen.get(edge);
    if (!known || known.events.length > path.events.length) chosen.set(edge, path);
  }
  return [...chosen.values()];
}

describe('the run machine, driven by the real runtime', () => {
  const conductor = new Conductor();
  beforeAll(() => conductor.open());
  afterAll(() => conductor.close());

  it('takes every declared transition on the paths that are tested', () => {
    const taken = takenTransitions(runMachine, { limits: graphLimits }, paths);
    const missing = [...declaredTransitions(runMachine)].filter((transition) => !taken.has(transition));
    expect(missing).toEqual([]);
    console.log(
      `model-based: ${paths.length} of ${allPaths.length} paths, ${paths.reduce((sum, path) => sum + path.events.length, 0)} events, ` +
        `${declaredTransitions(runMachine).size} declared transitions, 0 not taken`,
    );
  });

  it('is after every event where the pure machine is, and offers the same commands', async () => {
    for (const path of paths) await compare(conductor, path).catch((error: unknown) => {
      throw new Error(`on the path ${path.events.map((event) => event.type).join(' → ')}: ${error instanceof Error ? error.message : error}`, { cause: error });
    });
  });
});

async function compare(conductor: Conductor, path: TransitionPath<RunEvent>): Promise<void> {
  await conductor.begin();
  let [pure] = initialTransition(runMachine, { limits: graphLimits });
  for (const event of path.events) {
    await conductor.play(event);
    [pure] = transition(runMachine, pure, event);
    const real = await conductor.look();
    expect(real.path).toBe(pathOf(pure.value));
    expect(comparable(real.context)).toEqual(comparable(pure.context));
    expect(real.allowed.map(sortable).sort()).toEqual(commandsOf(conductor, pure).map(sortable).sort());
  }
  await expectWhole(conductor);
}

/** Times are the clock's, keys are hashes, messages are for people. */
function comparable({ since: _since, spentMs: _spentMs, failing, end, ...context }: RunContext) {
  return { ...context, failing: failing?.times ?? 0, end: end && { outcome: end.outcome, code: end.error?.code } };
}

function commandsOf(conductor: Conductor, snapshot: Parameters<typeof allowedCommands>[1]) {
  return allowedCommands(conductor.core.engine.hostOf('run'), snapshot);
}

function sortable(command: object): string {
  return JSON.stringify(command);
}

/** Wherever a run is: its log folds to its row, and an ended one leaves nothing open and every call with one result. */
async function expectWhole(conductor: Conductor): Promise<void> {
  const { store, engine } = conductor.core;
  const row = await conductor.row();
  const events = await store.query('listEvents', { run: row.pk, after: 0, limit: 10_000 });
  expect(replay(engine.hostOf(row.machine), row, events)).toEqual({ diverged: null, folded: events.length });
  if (!row.ended) return;
  expect(await store.query('listOpenEffects', { run: row.pk })).toEqual([]);
  expect(await store.query('listTimers', { run: row.pk })).toEqual([]);
  const { steps, pending } = await conductor.view();
  expect(pending).toEqual([]);
  for (const call of steps.flatMap((step) => step.toolCalls)) expect(call.status).not.toBe('pending');
}
