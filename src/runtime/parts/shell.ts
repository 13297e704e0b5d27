import type { EventBus } from '../../engine/bus.ts';
import { detentHome } from '../../text/files.ts';
import { type PreparedShell, prepareShell } from '../../tools/builtin.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { ToolLists } from '../config/tool-lists.ts';

/** The sandbox and the background commands of the shell tools. */
export interface OpenedShell extends PreparedShell {
  /** Ends background commands. */
  close(): Promise<void>;
}

/**
 * Tries the sandbox in a child process, unless the same trial has worked since the machine was started. Never rejects.
 */
export async function openShell(
  { sandbox, readonly, env = process.env }: DetentOptions,
  { allowed, disabled }: ToolLists,
  bus: EventBus,
): Promise<OpenedShell> {
  const prepared = await prepareShell({
    choice: sandbox,
    isWanted: (tool) => !readonly && !disabled.includes(tool) && (allowed?.includes(tool) ?? true),
    bus,
    home: detentHome(env),
  });
  return { ...prepared, close: () => prepared.shell.jobs.close() };
}
