import type { CliOptions } from '../../settings/load-options.ts';
import { type StillRun, stillRuns } from '../workflow/still-runs.ts';
import { type Check, failed, ok, type Subject, warn } from './check.ts';

const files: Subject = ['workflows', 'Workflows'];
const runs: Subject = ['workflows.runs', 'Runs of charts'];

/** Checks the modules of `machines/`, and whether the runs under way still have their charts; nothing where there are none. */
export async function checkMachines({ machines, database }: CliOptions): Promise<Check[]> {
  try {
    const found = (await machines?.()) ?? [];
    if (found.length === 0) return [];
    const usable = found.flatMap(({ workflow, reason }) => (workflow && reason === null ? [workflow] : []));
    const [unused] = found.filter(({ reason }) => reason !== null);
    const count = `${usable.length} of ${found.length} can be used`;
    const check = unused
      ? warn(files, `${count}; ${unused.name} is not: ${unused.reason}`, 'see all: detent workflow check')
      : ok(files, count);
    return [check, standing(await stillRuns(usable, database))];
  } catch (error) {
    return [failed(files, error)];
  }
}

function standing([first, ...others]: readonly StillRun[]): Check {
  if (!first) return ok(runs, 'none stands still');
  const { row, why } = first;
  const what =
    why === 'CHART_CHANGED' ? 'was edited and kept its version' : 'has no migration from their version';
  const remedy = why === 'CHART_CHANGED' ? 'restore the chart, or raise its version and' : 'in workflow(),';
  return warn(
    runs,
    `${others.length + 1} cannot continue, one of them ${row.id}: its chart ${what} (${why})`,
    `${remedy} give the old chart as \`earlier\`, or a migration; see: detent runs why ${row.id}`,
  );
}
