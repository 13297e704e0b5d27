import { DetentError } from '../../../protocol/error.ts';
import { type Flags, word } from '../../settings/flags.ts';
import { type CliOptions, hasDatabase, loadOptions } from '../../settings/load-options.ts';
import type { Io } from '../../terminal/io.ts';

/**
 * The session key of a command, and the options to open the database with.
 *
 * @throws DetentError `NOT_FOUND` when the workspace has no database, so that looking for a session makes none.
 */
export async function namedSession(
  words: readonly string[],
  flags: Flags,
  io: Io,
): Promise<{ key: string; options: CliOptions }> {
  const key = word(words, 0, 'K');
  const options = await loadOptions(flags, io);
  if (hasDatabase(options)) return { key, options };
  throw new DetentError(
    'NOT_FOUND',
    `no session "${key}": there is no database ${options.database.file} yet`,
  );
}
