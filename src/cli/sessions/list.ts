import { columns, statusCell, timeCell } from '../config/columns.ts';
import { exit } from '../exit-codes.ts';
import { type Flags, wholeNumber } from '../flags.ts';
import { hasDatabase, loadOptions } from '../load-options.ts';
import { out, printable, say } from '../say.ts';
import { reading } from '../session.ts';

/** `detent sessions list`: newest first. */
export async function listSessions(_: readonly string[], flags: Flags): Promise<number> {
  const limit = wholeNumber(flags, 'limit', 1) ?? 100;
  const options = await loadOptions(flags);
  const sessions = hasDatabase(options)
    ? await reading(options, (detent) => detent.sessions.list({ limit }))
    : [];
  if (flags.json) out(`${JSON.stringify(sessions)}\n`);
  else if (sessions.length === 0) say('there are no sessions here yet');
  else {
    const rows = sessions.map(({ sessionId, runs, status, lastActivityAt, messages }) => [
      printable(sessionId),
      statusCell(status ?? 'empty'),
      timeCell(lastActivityAt),
      `${counted(runs, 'run')}, ${counted(messages, 'message')}`,
    ]);
    out(columns(rows));
  }
  return exit.ok;
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
