import type { AnyStateMachine } from 'xstate';
import { runMachine, runMachineVersion } from '../../machines/run.machine.ts';
import { runSetup } from '../../machines/run.setup.ts';
import type { MachineHost, Migration } from '../../src/engine/machine/machine-host.ts';
import { PureMachine } from '../../src/engine/machine/pure-machine.ts';

/** What the next version of the run machine calls by another name. */
const renamed: Readonly<Record<string, string>> = {
  backingOff: 'pausing',
  backoff: 'pause',
  'timer.backoff': 'timer.pause',
};

function rename(config: unknown): unknown {
  if (typeof config === 'string') return renamed[config] ?? config;
  if (Array.isArray(config)) return config.map(rename);
  if (typeof config !== 'object' || config === null) return config;
  const entries = Object.entries(config).map(([key, value]) => {
    // Params may be worked out when the action is taken.
    const isLate = key === 'params' && typeof value === 'function';
    return [renamed[key] ?? key, isLate ? (from: unknown) => rename(value(from)) : rename(value)];
  });
  return Object.fromEntries(entries);
}

interface Config {
  context: (from: unknown) => object;
}

const config = runMachine.config as unknown as Config;
const nextMachine = runSetup.createMachine({
  ...(rename(config) as Config),
  context: (from: unknown) => ({ ...config.context(from), reviews: 0 }),
} as never) as unknown as AnyStateMachine;

const backingOff = { active: { working: { thinking: 'backingOff' } } };

const migration: Migration = {
  from: runMachineVersion,
  snapshot({ value, context }) {
    const next = { ...(context as object), reviews: 0 };
    if (JSON.stringify(value) !== JSON.stringify(backingOff)) return { value, context: next };
    return {
      value: { active: { working: { thinking: 'pausing' } } },
      context: next,
      timers: { pause: { event: 'timer.pause', was: 'backoff' } },
    };
  },
};

/** A next version of the run machine, with a migration of runs of this one. */
export function nextVersion(host: MachineHost): MachineHost {
  const migrate = [...(host.migrate ?? []), migration];
  return { ...host, version: runMachineVersion + 1, machine: new PureMachine(nextMachine), migrate };
}
