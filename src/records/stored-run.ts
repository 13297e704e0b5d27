import type { RunContext, RunOutput } from '../../machines/run.types.ts';
import type { RunRow } from '../store/rows.ts';
import type { RunOptions } from './run-options.ts';

/** The machine of agents' runs: only they have these options. */
export const agentMachine = 'run';

/** The machine of runs that make one call, and ask no model. They have some of those options, and call ids, like an agent's. */
export const callMachineId = 'call';

/** Whether a run makes calls: an agent's, or one of a single call. */
export function makesCalls({ machine }: Pick<RunRow, 'machine'>): boolean {
  return machine === agentMachine || machine === callMachineId;
}

/** A run's row, and what its JSON says. */
export interface StoredRun {
  row: RunRow;
  options: RunOptions;
  context: RunContext;
  /** Null before the run has ended. */
  output: RunOutput | null;
}

/** Parses a run's row: once, where it is loaded. An imported run has no context but an empty one. */
export function readRun(row: RunRow): StoredRun {
  return { row, options: optionsOf(row), context: contextOf(row), output: outputOf(row) };
}

/** Parses the options alone. */
export function optionsOf({ options }: Pick<RunRow, 'options'>): RunOptions {
  return JSON.parse(options) as RunOptions;
}

/** Parses the context alone. */
export function contextOf({ context }: Pick<RunRow, 'context'>): RunContext {
  return JSON.parse(context) as RunContext;
}

/** Parses the output alone; null before the run has ended. */
export function outputOf({ output }: Pick<RunRow, 'output'>): RunOutput | null {
  return output === null ? null : (JSON.parse(output) as RunOutput);
}
