import { DetentError } from '../../protocol/error.ts';
import type { Io } from './io.ts';

/** Whether the person agrees with "y" or "yes"; the end of input and Ctrl-C are no. */
export async function isYes(question: string, io: Io): Promise<boolean> {
  const said = await io.askLine(`${question} [y/N] `);
  return 'line' in said && /^y(es)?$/i.test(said.line.trim());
}

/**
 * Whether the person wants to delete something for good. Says so if not.
 *
 * @param describe makes the question
 * @throws DetentError `USAGE` without a terminal.
 */
export async function isSureToDelete(describe: () => Promise<string> | string, io: Io): Promise<boolean> {
  if (!io.isAttended())
    throw new DetentError('USAGE', 'there is no terminal to ask on; confirm with --yes to delete for good');
  if (await isYes(await describe(), io)) return true;
  io.say('nothing was deleted');
  return false;
}
