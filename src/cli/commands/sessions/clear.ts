import { withDetent } from '../../drive/with-detent.ts';
import type { Flags } from '../../settings/flags.ts';
import { counted } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { namedSession } from './require-session.ts';

/** `detent sessions clear K`. */
export async function clearSession(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const { key, options } = await namedSession(words, flags, io);
  const force = flags.force === true;
  const { cleared } = await withDetent(options, (detent) => detent.sessions.clear(key, { force }));
  if (flags.json) io.json({ sessionId: key, cleared });
  else io.out(`cleared: ${counted(cleared, 'message')}; no model sees them again\n`);
  return exit.ok;
}
