import type { SessionSummary } from '../../../index.ts';
import { counted } from '../../../text/wording.ts';
import { readingPort } from '../../drive/with-detent.ts';
import type { Flags } from '../../settings/flags.ts';
import { hasDatabase, loadOptions } from '../../settings/load-options.ts';
import { listFilter } from '../../settings/moment.ts';
import { type Column, costCell, listed, statusCell, timeCell } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent sessions list`: newest first. */
export async function listSessions(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const slots = flags.slots === true;
  const filter = { ...listFilter(flags), ...(slots && { slots }) };
  const options = await loadOptions(flags, io);
  const { sessions, others } = hasDatabase(options)
    ? await readingPort(options, async ({ ask }) => ({
        ...(await ask('session.list', filter)),
        others: slots ? 0 : (await ask('session.list', { slots: true, limit: 1 })).sessions.length,
      }))
    : { sessions: [], others: 0 };
  if (flags.json) io.json(sessions);
  else if (sessions.length > 0) io.out(listed(sessions, columnsFor(io), io.stdout));
  else io.say(filter.status || filter.since ? 'no session fits' : 'there are no sessions here yet');
  if (others > 0) io.say('slots of jobs have separate sessions; see them with: detent sessions list --slots');
  return exit.ok;
}

function columnsFor({ stdout }: Io): Column<SessionSummary>[] {
  return [
    { title: 'session', cell: ({ sessionId }) => sessionId, min: 20 },
    { title: 'status', cell: ({ status, outcome }) => statusCell(status ?? 'empty', outcome), min: 11 },
    { title: 'moved', cell: ({ lastActivityAt }) => timeCell(lastActivityAt, stdout) },
    { title: 'runs', cell: ({ runs }) => counted(runs, 'run'), rank: 2 },
    { title: 'messages', cell: ({ messages }) => counted(messages, 'message'), rank: 1 },
    {
      title: 'agent',
      cell: ({ agent, workflow }) => (workflow === undefined ? (agent ?? '-') : `workflow ${workflow}`),
      min: 8,
      rank: 3,
      unless: 'default',
    },
    { title: 'model', cell: ({ model }) => model ?? '-', min: 10, rank: 4 },
    { title: 'cost', cell: ({ costUsd }) => costCell(costUsd), rank: 5 },
    { title: 'first words', cell: ({ title, prompt }) => title ?? prompt, min: 16 },
  ];
}
