import type { EngineEvent, MachineHost } from '../../engine/machine.ts';
import { DetentError } from '../../protocol/error.ts';
import type { RunRow } from '../../store/rows.ts';

/** Whether the machine of a run takes an event from outside. */
export function isCommandOf({ commands, startEvent }: MachineHost, { type }: EngineEvent): boolean {
  return commands.has(type) || type === startEvent;
}

export function unknownCommand(
  { id }: RunRow,
  { type }: EngineEvent,
  known: ReadonlySet<string> = new Set(),
): DetentError {
  const hint = known.size > 0 ? `; it takes ${[...known].sort().join(', ')}` : '';
  return new DetentError('UNKNOWN_COMMAND', `run ${id} takes no command "${type}"${hint}`);
}
