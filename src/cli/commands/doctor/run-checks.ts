import { isDecided, kindOf, runStatus, statusAmongRuns } from '../../../runs/rows.ts';
import type { RunRow } from '../../../store/rows.ts';
import type { Store } from '../../../store/store.ts';
import { isJobRun } from '../../../store/stored-run.ts';
import { type Check, ok, type Subject, warn } from './check.ts';

/**
 * The runs that have not ended, and what is to be said of them.
 *
 * @param living the epochs of the drivers that live
 */
export async function unfinishedRuns(
  store: Store,
  living: ReadonlySet<number>,
): Promise<{ rows: RunRow[]; checks: Check[] }> {
  const isLive = ({ driver }: RunRow) => driver !== null && living.has(driver);
  // A job has a check of its own.
  const rows = (await store.query('listActiveRuns', {})).filter((row) => !isJobRun(row));
  const runs: Record<string, string[]> = { waiting: [], decided: [], interrupted: [] };
  for (const row of rows) {
    if (!kindOf(row).waitsInProcess) {
      const { status } = await statusAmongRuns(store, row, isLive);
      // One that waits for events, or for a run that is counted itself, asks no person.
      if (status !== 'waiting' || kindOf(row).isAsking(row)) runs[status]?.push(row.id);
      continue;
    }
    const status = runStatus(row, isLive);
    const isLeft = status === 'interrupted' && (await isDecided(store, row));
    runs[isLeft ? 'decided' : status]?.push(row.id);
  }
  const { waiting: asking = [], decided = [], interrupted: broken = [] } = runs;
  return { rows, checks: [waiting(asking, decided), interrupted(broken)] };
}

function waiting(asking: readonly string[], decided: readonly string[]): Check {
  const subject: Subject = ['runs.waiting', 'Runs that wait'];
  const person = `${asking.length === 0 ? 'none' : asking.length} for a person`;
  const text = decided.length === 0 ? person : `${person}, ${decided.length} decided, for resume`;
  if (asking.length > 0) return ok(subject, text, `see what it asks: detent runs show ${asking[0]}`);
  return decided.length === 0
    ? ok(subject, text)
    : ok(subject, text, `resume it: detent runs resume ${decided[0]}`);
}

function interrupted(runs: readonly string[]): Check {
  const subject: Subject = ['runs.interrupted', 'Runs interrupted'];
  if (runs.length === 0) return ok(subject, 'none');
  return warn(
    subject,
    `${runs.length}: their process ended before they did`,
    `see one: detent runs show ${runs[0]}; resume all: detent runs resume --all`,
  );
}
