import type { RunRow } from '../../../store/rows.ts';
import type { CliOptions } from '../../settings/load-options.ts';
import { changedRuns } from '../workflow/changed-runs.ts';
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
    return [check, standing(await changedRuns(usable, database.file))];
  } catch (error) {
    return [failed(files, error)];
  }
}

function standing([first, ...others]: readonly RunRow[]): Check {
  if (!first) return ok(runs, 'none stands still');
  return warn(
    runs,
    `${others.length + 1} of a chart that was edited and kept its version (CHART_CHANGED), one of them ${first.id}`,
    `raise the version of the chart and add a migration, or restore the chart; see: detent runs why ${first.id}`,
  );
}
