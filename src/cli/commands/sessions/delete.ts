import { reading, withDetent } from '../../drive/with-detent.ts';
import { type Flags, usage } from '../../settings/flags.ts';
import { counted } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { namedSession } from './require-session.ts';

/** `detent sessions delete K`. */
export async function deleteSession(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const { key, options } = await namedSession(words, flags, io);
  if (!flags.yes) {
    if (!io.isAttended())
      throw usage('there is no terminal to ask on; confirm with --yes to delete for good');
    const { runs, messages } = await reading(options, (detent) => detent.sessions.show(key));
    const what = `${counted(runs, 'run')} and ${counted(messages, 'message')}`;
    const said = await io.askLine(`Delete session "${key}" for good, with ${what}? [y/N] `);
    if (!('line' in said) || !/^y(es)?$/i.test(said.line.trim())) {
      io.say('nothing was deleted');
      return exit.cancelled;
    }
  }
  const force = flags.force === true;
  const deleted = await withDetent(options, (detent) => detent.sessions.delete(key, { force }));
  if (flags.json) io.json({ sessionId: key, ...deleted });
  else io.out(`deleted: ${counted(deleted.runs, 'run')}, ${counted(deleted.messages, 'message')}\n`);
  if (!deleted.erased)
    io.say(
      'detent: another process reads the database: traces stay in its files until that process closes it',
    );
  return exit.ok;
}
