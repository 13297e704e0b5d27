import { createMachine } from 'xstate';
import type { MachineHost } from '../engine/machine-host.ts';
import { PureMachine } from '../engine/pure-machine.ts';
import { DetentError } from '../protocol/error.ts';
import type { RunOptions } from '../records/run-options.ts';
import { importedId } from './is-imported.ts';

/** The machine of imported runs: they have ended and take no events. */
const importedMachine = createMachine({
  id: importedId,
  initial: 'done',
  states: { done: { type: 'final' } },
});

const nothing = () => ({ type: 'none' });

/** The host of imported runs, so that readers treat them like any run. It takes no command and has no effects. */
export const importedHost: MachineHost = {
  id: importedId,
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

export function noLog(runId: string): DetentError {
  return new DetentError(
    'NO_LOG',
    `run ${runId} was imported: it has no log of transitions; see its conversation with "detent sessions show"`,
    { details: { runId } },
  );
}

/** Placeholder options for an imported run, which was not performed here. */
export function importedOptions(
  tenant: number,
  userId: string | null,
  workspace: string,
): Omit<RunOptions, 'machine'> {
  return {
    model: 'imported/history',
    endpoint: null,
    system: '',
    tools: null,
    approve: 'ask',
    workspace,
    principal: { tenantId: tenant, userId, claims: {} },
  };
}
