import { existsSync } from 'node:fs';
import type { RunRow } from '../../../store/rows.ts';
import { openSqlite } from '../../../store/sqlite.ts';
import { isWorkflowRun } from '../../../store/stored-run.ts';
import { Workflows } from '../../../workflow/registry.ts';
import type { Workflow } from '../../../workflow/workflow.ts';

export interface StillRun {
  row: RunRow;
  why: NonNullable<ReturnType<Workflows['whyStill']>>;
}

/** The runs that stand still, as this program does not have their chart any more. Changes nothing in the database. */
export async function stillRuns(workflows: readonly Workflow[], file: string): Promise<StillRun[]> {
  const charts = new Workflows(workflows);
  return (await runsOf(file)).flatMap((row) => {
    const why = charts.whyStill(row);
    return why === null ? [] : [{ row, why }];
  });
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
