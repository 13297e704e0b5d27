import { DetentError } from '../../../protocol/error.ts';
import { withDetent } from '../../drive/with-detent.ts';
import { type Flags, word } from '../../settings/flags.ts';
import { hasDatabase, loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent token revoke ID`. A person who has only the whole token may paste that. */
export async function revokeToken(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const [id = ''] = word(words, 0, 'ID').split('.', 1);
  const options = await loadOptions(flags, io);
  if (!hasDatabase(options))
    throw new DetentError(
      'NOT_FOUND',
      `there is no such token: there is no database ${options.database.file} yet`,
    );
  const isRevoked = await withDetent(options, (detent) => detent.tokens.revoke(id));
  if (flags.json) io.json({ id, revoked: isRevoked });
  else if (isRevoked) io.out(`revoked: ${id}\n`);
  else io.say(`token ${id} was revoked before`);
  return exit.ok;
}
