import { reading } from '../../drive/with-detent.ts';
import { type Flags, wholeNumber } from '../../settings/flags.ts';
import { hasDatabase, loadOptions } from '../../settings/load-options.ts';
import { columns, counted, statusCell, timeCell } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent sessions list`: newest first. */
export async function listSessions(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const limit = wholeNumber(flags, 'limit', 1) ?? 100;
  const options = await loadOptions(flags, io);
  const sessions = hasDatabase(options)
    ? await reading(options, (detent) => detent.sessions.list({ limit }))
    : [];
  if (flags.json) io.json(sessions);
  else if (sessions.length === 0) io.say('there are no sessions here yet');
  else {
    const rows = sessions.map(({ sessionId, runs, status, lastActivityAt, messages }) => [
      sessionId,
      statusCell(status ?? 'empty'),
      timeCell(lastActivityAt),
      `${counted(runs, 'run')}, ${counted(messages, 'message')}`,
    ]);
    io.out(columns(rows));
  }
  return exit.ok;
}
