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
  else
    for (const { sessionId, runs, status, lastActivityAt, messages } of sessions) {
      const counts = `${counted(runs, 'run')}, ${counted(messages, 'message')}`;
      const facts = `${(status ?? 'empty').padEnd(11)}  ${new Date(lastActivityAt).toISOString()}  ${counts}`;
      out(`${printable(sessionId)}  ${facts}\n`);
    }
  return exit.ok;
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
