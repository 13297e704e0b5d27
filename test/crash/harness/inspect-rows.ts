import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { replay } from '../../../src/engine/log/replay.ts';
import type { MachineHost } from '../../../src/engine/machine/machine-host.ts';
import type { EventRow, RunRow } from '../../../src/store/rows.ts';
import type { Problem } from './matrix.ts';

export const databaseOf = (workspace: string) => join(workspace, '.detent', 'detent.db');

/** What may be left over when all runs have ended. */
const leftOver = {
  effects: "select name from effects where status not in ('done', 'cancelled')",
  commands: 'select kind from commands where done_at is null',
  timers: 'select id from timers',
  questions: "select body from confirmations where status = 'open'",
  poisoned: "select type from run_events where type = 'effect.poisoned'",
};

/** How many rows of a kind are left, each of them a problem. */
export function countLeft(db: Sqlite.Database, what: keyof typeof leftOver, problem: Problem): number {
  const found = db.prepare(leftOver[what]).pluck().all();
  if (found.length > 0) problem(`${what} are left: ${found}`);
  return found.length;
}

/** The log of each run must fold to its rows. */
export function inspectLogs(
  db: Sqlite.Database,
  hostOf: (run: RunRow) => MachineHost | undefined,
  problem: Problem,
): void {
  const events = db.prepare(
    'select seq, type, body, at, path, hash from run_events where run_pk = ? order by seq',
  );
  for (const run of db.prepare('select * from runs order by pk').all() as RunRow[]) {
    const host = hostOf(run);
    const diverged = host
      ? replay(host, run, events.all(run.pk) as EventRow[]).diverged
      : `no machine ${run.machine}`;
    if (diverged) problem(`the log of ${run.id} diverges at ${JSON.stringify(diverged)}`);
  }
}
