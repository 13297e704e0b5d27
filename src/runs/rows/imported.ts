import { createMachine } from 'xstate';
import { type MachineHost, PureMachine } from '../../engine/machine.ts';
import { DetentError } from '../../protocol/error.ts';
import type { Program } from '../../store/program.ts';
import { noDriver } from '../../store/rows.ts';
import type { RunOptions } from '../../store/run-options.ts';
import { importedId } from '../../store/stored-run.ts';
import { ask, tell } from './statements.ts';

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

/** A run that has ended, with the lines of its log. */
interface History {
  tenant: number;
  id: string;
  session: number;
  /** See `RunRow.ordinal`. */
  ordinal: number;
  options: Omit<RunOptions, 'machine'>;
  lines: readonly { text: string; type: string; at: number }[];
}

/** Writes the rows of an imported run; the messages of its conversation are the caller's. Returns its key. */
export function* writeHistory(history: History): Program<number> {
  const { tenant, id, session, ordinal, options, lines } = history;
  const times = lines.map(({ at }) => at);
  const seq = lines.length;
  const rest = { seq, state: '"done"', context: '{}', fence: 0 };
  const { pk: run } = yield* ask('insertRun', {
    ...rest,
    driver: noDriver,
    lastDriver: null,
    tenant,
    id,
    session,
    ordinal,
    machine: importedHost.id,
    version: importedHost.version,
    ended: 0,
    input: '{}',
    options: JSON.stringify({ machine: importedHost.id, ...options }),
    output: null,
    createdAt: times.reduce((a, b) => Math.min(a, b)),
  });
  const updatedAt = times.reduce((a, b) => Math.max(a, b));
  const output = JSON.stringify({ outcome: 'completed', error: null });
  yield* ask('endRun', { ...rest, pk: run, was: seq, wasDriver: noDriver, output, updatedAt });
  for (const [i, { text, type, at }] of lines.entries())
    yield* tell('insertEvent', {
      run,
      tenant,
      seq: i + 1,
      type,
      body: text,
      at,
      path: 'done',
      hash: '',
      inFeed: 0,
    });
  return run;
}
