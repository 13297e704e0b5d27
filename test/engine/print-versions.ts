import type { AnyStateMachine } from 'xstate';
import type { MachineHost, Migration } from '../../src/engine/machine/machine-host.ts';
import { PureMachine } from '../../src/engine/machine/pure-machine.ts';
import { press, printMachine } from './print-machine.ts';

/** What version 2 of the print machine calls by another name. */
const renamed: Readonly<Record<string, string>> = {
  jammed: 'stuck',
  help: 'rescue',
  'timer.help': 'timer.rescue',
  'effect.print': 'effect.press',
};

/** A copy of a machine's configuration with other names, its functions kept. */
export function rename(config: unknown, names: Readonly<Record<string, string>>): unknown {
  if (typeof config === 'string') return names[config] ?? config;
  if (Array.isArray(config)) return config.map((item) => rename(item, names));
  if (typeof config !== 'object' || config === null) return config;
  const entries = Object.entries(config);
  return Object.fromEntries(entries.map(([key, value]) => [names[key] ?? key, rename(value, names)]));
}

interface Config {
  context: (from: unknown) => object;
  states: object;
}

const firstConfig = printMachine.config as unknown as Config;

const renamedConfig = rename(firstConfig, renamed) as Config;

/** The second version: other names, copies to count, a state within a state, and one in which nothing stays. */
const secondConfig = {
  ...renamedConfig,
  states: {
    ...renamedConfig.states,
    drying: { initial: 'damp', states: { damp: {} } },
    folding: { always: 'printing' },
  },
  context: (from: unknown) => ({ ...firstConfig.context(from), copies: 1 }),
};

/** A print machine by another configuration. */
export function machineOf(config: object): AnyStateMachine {
  return press.createMachine(config as never) as unknown as AnyStateMachine;
}

const secondMachine = machineOf(secondConfig);

/** From version 1 to 2: every name, and the new key. */
export const toSecond: Migration = {
  from: 1,
  snapshot({ value, context }) {
    const { awaiting } = context as { awaiting: number | null };
    return {
      value: value === 'jammed' ? 'stuck' : value,
      context: { ...(context as object), copies: 1 },
      ...(value === 'jammed' && { timers: { rescue: { event: 'timer.rescue', was: 'help' } } }),
      ...(awaiting !== null && { effects: { [awaiting]: { name: 'effect.press' } } }),
    };
  },
};

export function second(first: MachineHost, migrate?: readonly Migration[]): MachineHost {
  const { 'effect.print': handler, ...effects } = first.effects;
  return {
    ...first,
    version: 2,
    machine: new PureMachine(secondMachine),
    effects: { ...effects, ...(handler && { 'effect.press': handler }) },
    isParked: (snapshot) => snapshot.hasTag('waiting') || snapshot.matches('queued'),
    ...(migrate && { migrate }),
  };
}

const thirdMachine = machineOf({
  ...secondConfig,
  context: (from: unknown) => ({ ...secondConfig.context(from), colour: 'black' }),
});

/** From version 2 to 3: one more key. */
export const toThird: Migration = {
  from: 2,
  snapshot: ({ value, context }) => ({ value, context: { ...(context as object), colour: 'black' } }),
};

export function third(first: MachineHost, migrate?: readonly Migration[]): MachineHost {
  return { ...second(first, migrate), version: 3, machine: new PureMachine(thirdMachine) };
}
