import type { RunSummary } from '../../../index.ts';
import { ofOthers, readingPort } from '../../drive/with-detent.ts';
import { type Flags, text } from '../../settings/flags.ts';
import { listFilter } from '../../settings/list-filter.ts';
import { hasDatabase, loadOptions } from '../../settings/load-options.ts';
import { type Column, costCell, listed, statusCell, timeCell } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent runs list`: newest first. */
export async function listRuns(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const session = text(flags, 'session');
  const filter = { ...listFilter(flags), ...(session !== undefined && { sessionId: session }) };
  const options = await loadOptions(flags, io);
  const { runs } = hasDatabase(options)
    ? await readingPort(options, ({ ask }) => ask('run.list', filter))
    : { runs: [] };
  if (flags.json) io.json(runs);
  else if (runs.length > 0) io.out(listed(runs, columnsFor(io), io.stdout));
  else if (filter.status || filter.since) io.say('no run fits');
  else
    io.say(
      (await ofOthers(options, 'tenant 1 has no runs here; those of another', 'runs list')) ??
        'there are no runs here yet',
    );
  return exit.ok;
}

function columnsFor({ stdout }: Io): Column<RunSummary>[] {
  return [
    { title: 'run', cell: ({ runId }) => runId },
    { title: 'status', cell: ({ status, outcome }) => statusCell(status, outcome), min: 11 },
    { title: 'moved', cell: ({ updatedAt }) => timeCell(updatedAt, stdout) },
    {
      title: 'agent',
      cell: ({ agent, workflow }) => (workflow === undefined ? agent : `workflow ${workflow}`),
      min: 8,
      rank: 2,
      unless: 'default',
    },
    { title: 'model', cell: ({ model }) => model, min: 10, rank: 3 },
    { title: 'cost', cell: ({ costUsd }) => costCell(costUsd), rank: 4 },
    { title: 'session', cell: ({ sessionId }) => sessionId, min: 8, rank: 1 },
    { title: 'prompt', cell: ({ prompt }) => prompt, min: 16 },
  ];
}
