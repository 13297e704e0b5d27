import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { initialTransition, transition } from 'xstate';
import { runMachine } from '../../machines/run.machine.ts';
import type { RunEvent } from '../../machines/run.types.ts';
import { allowedCommands, pathOf } from '../../src/engine/machine/decide.ts';
import { inSizes } from '../support/size.ts';
import { Conductor, CoreConductor } from './conductor.ts';
import { comparable, expectWhole } from './expectations.ts';
import { representatives } from './representatives.ts';
import { graphPaths, type RunPath } from './run-graph.ts';
import { declaredTransitions, takenTransitions } from './transitions.ts';

const allPaths = graphPaths();
const paths = representatives(allPaths);

describe('the paths of the run machine', () => {
  it('takes every declared transition on the paths that are tested', () => {
    const taken = takenTransitions(runMachine, paths);
    const missing = [...declaredTransitions(runMachine)].filter((transition) => !taken.has(transition));
    expect(missing).toEqual([]);
    console.log(
      `model-based: ${paths.length} of ${allPaths.length} paths, ${paths.reduce((sum, path) => sum + path.events.length, 0)} events, ` +
        `${declaredTransitions(runMachine).size} declared transitions, 0 not taken`,
    );
  });
});

/** Of so many paths the core takes one, every day. */
const shareOfCore = inSizes({ usual: 20, deep: 40, full: 1 });

describe.each([
  { system: 'the real runtime', Driven: Conductor, paths },
  { system: 'the core', Driven: CoreConductor, paths: paths.filter((_, i) => i % shareOfCore === 0) },
])('the run machine, driven by $system', ({ system, Driven, paths: driven }) => {
  const conductor = new Driven();
  beforeAll(() => conductor.open());
  afterAll(() => conductor.close());

  it('is after every event where the pure machine is, and offers the same commands', async () => {
    for (const path of driven)
      await compare(conductor, path).catch((error: unknown) => {
        throw new Error(
          `on the path ${path.events.map((event) => event.type).join(' → ')}: ${error instanceof Error ? error.message : error}`,
          { cause: error },
        );
      });
    const events = driven.reduce((sum, path) => sum + path.events.length, 0);
    console.log(`model-based: ${system} took ${driven.length} paths, ${events} events, 0 differences`);
  });
});

async function compare(conductor: Conductor, path: RunPath): Promise<void> {
  await conductor.begin(path.input, path.events.some(asksForPast));
  let [pure] = initialTransition(runMachine, path.input);
  for (const event of path.events) {
    await conductor.play(event);
    [pure] = transition(runMachine, pure, await conductor.happened(event));
    const real = await conductor.look();
    expect(real.path).toBe(pathOf(pure.value));
    expect(comparable(real.context)).toEqual(comparable(pure.context));
    expect(real.allowed.map(sortable).sort()).toEqual(commandsOf(conductor, pure).map(sortable).sort());
  }
  await expectWhole(conductor);
}

function asksForPast({ type }: RunEvent): boolean {
  return /^(compact|flush)\./.test(type);
}

function commandsOf(conductor: Conductor, snapshot: Parameters<typeof allowedCommands>[1]) {
  return allowedCommands(conductor.core.engine.hostOf('run'), snapshot);
}

function sortable(command: object): string {
  return JSON.stringify(command);
}
