import type { CommandRow, Scoped } from '../rows.ts';

/** Commands to runs that other processes drive. */
export interface CommandStatements {
  insertCommand: {
    in: Scoped & Pick<CommandRow, 'run' | 'kind' | 'body'> & { at: number };
    out: { id: number };
  };
  findCommand: { in: { id: number }; out: CommandRow | undefined };
  /** The commands to a run that wait, in their order. */
  listCommandsTo: { in: { run: number }; out: CommandRow[] };
  /** The commands that wait for a run that a driver has, or had last before it came to rest; in their order. */
  listCommandsFor: { in: { driver: number }; out: CommandRow[] };
  /**
   * The commands that wait for a run which no driver has; or whose last driver has ended, and which is at rest, or has ended. In
   * their order.
   */
  listLeftCommands: { in: Record<string, never>; out: CommandRow[] };
  /** Writes what came of a command, and clears what it asked; 0 if it has an outcome. */
  settleCommand: { in: { id: number; outcome: string; at: number }; out: number };
}
