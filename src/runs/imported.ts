import { createMachine } from 'xstate';
import type { MachineHost } from '../engine/machine-host.ts';
import { PureMachine } from '../engine/pure-machine.ts';
import { DetentError } from '../protocol/error.ts';
import type { RunOptions } from '../records/run-options.ts';
import type { RunRow } from '../store/rows.ts';

/** The machine of runs that came from a file: they have ended, and nothing moves them. */
const importedMachine = createMachine({
  id: 'imported',
  initial: 'done',
  states: { done: { type: 'final' } },
});

const nothing = () => ({ type: 'none' });

/** Lets everything that looks at a run look at an imported one: it takes no command and asks for nothing. */
export const importedHost: MachineHost = {
  id: 'imported',
  version: 1,
  machine: new PureMachine(importedMachine),
  awaited: () => [],
  commands: new Set(),
  startEvent: 'none',
  heldEffect: 'none',
  resumed: nothing,
  poisoned: nothing,
  faulted: nothing,
  possibleCommands: () => [],
  newCache: () => null,
  effects: {},
  rows: {},
  *aborting() {},
  isParked: () => true,
};

/** Whether a run is a history from a file. The rows of its log are that file's lines, and cannot be folded. */
export function isImported({ machine }: Pick<RunRow, 'machine'>): boolean {
  return machine === importedHost.id;
}

export function noLog(runId: string): DetentError {
  return new DetentError(
    'NO_LOG',
    `run ${runId} was imported: it has no log of transitions to fold; "detent sessions show" tells its conversation`,
    { details: { runId } },
  );
}

/** What an imported run says of itself where others say what they are performed with. */
export function importedOptions(tenant: number, workspace: string): Omit<RunOptions, 'machine'> {
  return {
    model: 'imported/history',
    endpoint: null,
    system: '',
    tools: null,
    approve: 'ask',
    workspace,
    principal: { tenantId: tenant, userId: null, claims: {} },
  };
}
