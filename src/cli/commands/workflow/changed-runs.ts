import { existsSync } from 'node:fs';
import type { RunRow } from '../../../store/rows.ts';
import { openSqlite } from '../../../store/sqlite.ts';
import { isWorkflowRun } from '../../../store/stored-run.ts';
import { Workflows } from '../../../workflow/registry.ts';
import type { Workflow } from '../../../workflow/workflow.ts';

/** The runs that stand still because their chart was edited and kept its version. Changes nothing in the database. */
export async function changedRuns(workflows: readonly Workflow[], file: string): Promise<RunRow[]> {
  const charts = new Workflows(workflows);
  return (await runsOf(file)).filter((row) => charts.isChanged(row));
}

/** The runs of workflows that have not ended. `detent doctor` says what is wrong with the database. */
async function runsOf(file: string): Promise<RunRow[]> {
  if (file === ':memory:' || !existsSync(file)) return [];
  const store = await openSqlite({ file, readonly: true }).catch(() => null);
  if (!store) return [];
  try {
    return (await store.query('listActiveRuns', {})).filter(isWorkflowRun);
  } catch {
    return [];
  } finally {
    await store.close();
  }
}
