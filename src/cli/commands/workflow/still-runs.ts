import { existsSync } from 'node:fs';
import type { RunRow } from '../../../store/rows.ts';
import { openSqlite } from '../../../store/sqlite.ts';
import type { Store } from '../../../store/store.ts';
import { isWorkflowRun } from '../../../store/stored-run.ts';
import { Workflows } from '../../../workflow/registry.ts';
import type { Workflow } from '../../../workflow/workflow.ts';
import type { CliOptions } from '../../settings/load-options.ts';

export interface StillRun {
  row: RunRow;
  why: NonNullable<ReturnType<Workflows['whyStill']>>;
}

/** The runs that stand still, as this program does not have their chart any more. Changes nothing in the database. */
export async function stillRuns(
  workflows: readonly Workflow[],
  database: CliOptions['database'],
): Promise<StillRun[]> {
  const charts = new Workflows(workflows);
  return (await runsOf(database)).flatMap((row) => {
    const why = charts.whyStill(row);
    return why === null ? [] : [{ row, why }];
  });
}

/** The runs of workflows that have not ended. `detent doctor` says what is wrong with the database. */
async function runsOf(database: CliOptions['database']): Promise<RunRow[]> {
  const store = await opened(database).catch(() => null);
  if (!store) return [];
  try {
    return (await store.query('listActiveRuns', {})).filter(isWorkflowRun);
  } catch {
    return [];
  } finally {
    await store.close();
  }
}

async function opened({ file, url }: CliOptions['database']): Promise<Store | null> {
  if (url !== undefined)
    return (await import('../../../store/postgres.ts')).openPostgres({
      url,
      readonly: true,
      patienceMs: 2_000,
    });
  return existsSync(file) ? openSqlite({ file, readonly: true }) : null;
}
