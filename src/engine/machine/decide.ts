import type { AnyMachineSnapshot, AnyStateNode, StateValue } from 'xstate';
import { DetentError, messageOf } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { RunRow } from '../../store/rows.ts';
import type { EngineEvent, MachineHost } from './machine-host.ts';

/** A named action of a transition, with its resolved params. */
export interface Action {
  type: string;
  params: JsonObject;
}

export interface Moved {
  snapshot: AnyMachineSnapshot;
  actions: Action[];
}

/** A defect of the machine: one of its functions threw. A retry of the event throws again. */
export class MachineFault extends DetentError {}

/** The machine's first snapshot and the actions it asks for. */
export function begin(host: MachineHost, input: unknown): Moved {
  const [snapshot, actions] = host.machine.initialTransition(input);
  return { snapshot, actions: knownActions(host, actions) };
}

/**
 * Applies one event; null when the machine ignores it.
 *
 * An event is ignored when the snapshot is the same object *and* there are no actions. An internal transition that only
 * asks for an effect returns the same snapshot, too.
 *
 * @throws MachineFault `MACHINE_FAULT` when a guard or an assignment throws; `UNKNOWN_ACTION` for an action that the
 * host does not know.
 */
export function move(host: MachineHost, before: AnyMachineSnapshot, event: EngineEvent): Moved | null {
  // transition() does not check the status: a handler at the root would move a finished run.
  if (before.status !== 'active') return null;
  let next: AnyMachineSnapshot;
  let actions: readonly unknown[];
  try {
    [next, actions] = host.machine.transition(before, event);
  } catch (thrown) {
    throw new MachineFault(
      'MACHINE_FAULT',
      `machine "${host.id}" threw on "${event.type}": ${messageOf(thrown)}`,
      {
        cause: thrown,
      },
    );
  }
  if (next === before && actions.length === 0) return null;
  return { snapshot: next, actions: knownActions(host, actions) };
}

/**
 * Restores the snapshot that a row stores.
 *
 * @throws DetentError `MIGRATION_NEEDED` when the row's version or state is not of this machine. xstate would silently
 * repair it into a state in which no effect and no timer is pending.
 */
export function restore(
  host: MachineHost,
  row: Pick<RunRow, 'id' | 'version' | 'state' | 'context'>,
): AnyMachineSnapshot {
  if (row.version !== host.version)
    throw migrationNeeded(
      row.id,
      `was made by version ${row.version} of machine "${host.id}", this program has ${host.version}`,
    );
  const value = JSON.parse(row.state) as StateValue;
  let snapshot: AnyMachineSnapshot;
  try {
    snapshot = host.machine.resolveState({ value, context: JSON.parse(row.context) });
  } catch (thrown) {
    throw migrationNeeded(row.id, messageOf(thrown));
  }
  if (JSON.stringify(snapshot.value) !== row.state)
    throw migrationNeeded(row.id, `state ${row.state} is not a state of machine "${host.id}"`);
  return snapshot;
}

function migrationNeeded(runId: string, why: string): DetentError {
  return new DetentError(
    'MIGRATION_NEEDED',
    `run ${runId} ${why}; run it with the program that made it, or cancel it there`,
    { details: { runId } },
  );
}

/** `{ active: { working: 'deciding' } }` as `active.working.deciding`; parallel regions joined by `|`. */
export function pathOf(value: StateValue): string {
  if (typeof value === 'string') return value;
  let path = '';
  for (const key in value) {
    const inner = value[key];
    const rest = inner === undefined ? '' : pathOf(inner);
    path += `${path && '|'}${key}${rest && '.'}${rest}`;
  }
  return path;
}

/**
 * The commands that the run accepts now, each with the ids it needs. One that a guard refuses without a payload has the
 * guard's name: with its payload the run may accept it.
 */
export function allowedCommands(host: MachineHost, snapshot: AnyMachineSnapshot): EngineEvent[] {
  if (snapshot.status !== 'active') return [];
  return host
    .possibleCommands(snapshot.context)
    .filter(({ type }) => host.commands.has(type))
    .flatMap((event) => {
      const { guard, ...about } = host.aboutCommand?.(snapshot, event.type) ?? {};
      if (snapshot.can({ at: 0, ...event })) return [{ ...event, ...about }];
      return guard === undefined ? [] : [{ ...event, ...about, guard }];
    });
}

function knownActions(host: MachineHost, actions: readonly unknown[]): Action[] {
  return actions.map((action) => {
    const { type, params } = action as { type: string; params?: JsonObject };
    // xstate accepts unknown names silently, and no executor would perform such an effect.
    if (!isKnown(host, type))
      throw new MachineFault(
        'UNKNOWN_ACTION',
        `machine "${host.id}" requested "${type}", which its host does not know`,
        {
          details: { known: [...Object.keys(host.effects), ...Object.keys(host.rows)] },
        },
      );
    return { type, params: params ?? {} };
  });
}

const engineActions = new Set(['timer.set', 'timer.clear', 'effect.hold', 'effect.abort']);

function isKnown(host: MachineHost, type: string): boolean {
  return engineActions.has(type) || type in host.effects || type in host.rows;
}

/** The id of a state: its dotted path, as in the log. Empty for the machine itself. */
export function stateIdOf({ path }: AnyStateNode): string {
  return path.join('.');
}

/** The id of all transitions from one state to another, by the ids of both. */
export function edgeIdOf(from: string, to: string): string {
  return `${from}->${to}`;
}

/** The ids of the innermost active states: one for each parallel region. */
export function leavesOf(value: StateValue, within = ''): string[] {
  if (typeof value === 'string') return [within + value];
  return Object.entries(value).flatMap(([key, inner = {}]) => {
    const isLeaf = typeof inner === 'object' && Object.keys(inner).length === 0;
    return isLeaf ? [within + key] : leavesOf(inner, `${within}${key}.`);
  });
}
