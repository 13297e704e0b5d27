import type { RunSummary } from '../../../index.ts';
import type { MethodInput } from '../../../protocol/methods.ts';
import { foldedBelow } from '../../../protocol/views.ts';
import { ofOthers, readingPort } from '../../drive/with-detent.ts';
import type { Port } from '../../port/port.ts';
import { type Flags, text } from '../../settings/flags.ts';
import { hasDatabase, loadOptions } from '../../settings/load-options.ts';
import { listFilter } from '../../settings/moment.ts';
import { type Column, costCell, listed, statusCell, timeCell } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent runs list`: newest first, sub-runs under their parents. */
export async function listRuns(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  const session = text(flags, 'session');
  const filter = { ...listFilter(flags), ...(session !== undefined && { sessionId: session }) };
  const options = await loadOptions(flags, io);
  const runs = hasDatabase(options)
    ? await readingPort(options, ({ ask }) => (flags.json ? newest(ask, filter) : withParents(ask, filter)))
    : [];
  if (flags.json) io.json(runs);
  else if (runs.length > 0) io.out(listed(underParents(runs), columnsFor(io), io.stdout));
  else if (filter.status || filter.since) io.say('no run fits');
  else
    io.say(
      (await ofOthers(options, 'tenant 1 has no runs here; those of another', 'runs list')) ??
        'there are no runs here yet',
    );
  return exit.ok;
}

type Filter = MethodInput<'run.list'> & { limit: number };
/** The gateway gives no more. */
const maxLimit = 1_000;

async function newest(ask: Port['ask'], filter: Filter): Promise<RunSummary[]> {
  return (await ask('run.list', filter)).runs;
}

/** As many runs as asked for, and the sub-runs of them: the newest run may be the question of a workflow. */
async function withParents(ask: Port['ask'], filter: Filter): Promise<RunSummary[]> {
  for (let { limit } = filter; ; limit = Math.min(2 * limit, maxLimit)) {
    const runs = await newest(ask, { ...filter, limit });
    const isWhole = runs.length < limit || limit >= maxLimit;
    const tops = runs.filter(({ parentRunId }) => isWhole || parentRunId === undefined);
    if (tops.length < filter.limit && !isWhole) continue;
    const last = tops[filter.limit - 1];
    return last === undefined ? runs : runs.slice(0, runs.indexOf(last) + 1);
  }
}

function underParents(runs: readonly RunSummary[]): Listed[] {
  const folded = foldedBelow(
    runs,
    ({ runId }) => runId,
    ({ parentRunId }) => parentRunId,
  );
  return folded.flatMap(({ top, below }) => [top, ...below.map((run) => ({ ...run, isBelow: true }))]);
}

interface Listed extends RunSummary {
  isBelow?: boolean;
}

function columnsFor({ stdout }: Io): Column<Listed>[] {
  return [
    { title: 'run', cell: ({ runId, isBelow }) => (isBelow ? `  ${runId}` : runId) },
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
