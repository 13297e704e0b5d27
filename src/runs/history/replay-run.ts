import { type Divergence, Replay } from '../../engine/log.ts';
import { type MachineHosts, readTransitions } from '../../engine/machine.ts';
import { DetentError } from '../../protocol/error.ts';
import type { RunRow } from '../../store/rows.ts';
import { isImported } from '../../store/stored-run.ts';
import { noLog } from '../rows/imported.ts';
import type { Store } from '../rows/statements.ts';
import { againstMessages, type MessageDivergence } from './against-messages.ts';

/** The result of a replay. */
export interface RunReplay {
  runId: string;
  /** Transitions that agree with the machine. */
  folded: number;
  /** Transitions before a migration from a version that this program lacks. */
  unfolded: number;
  /** The first difference; null when log, messages and run agree. */
  diverged: Divergence | MessageDivergence | null;
  /** Why nothing could be folded: this program lacks the machine's version or has another chart of it, or the run was imported. */
  error: { code: string; message: string } | null;
}

/** A run that this program cannot fold counts as correct. */
const unfoldable = new Set(['MIGRATION_NEEDED', 'CHART_CHANGED', 'NO_LOG']);

/** Folds the log of a run and compares it with everything stored for the run. Executes nothing. */
export async function replayRun(
  store: Store,
  hosts: MachineHosts,
  redact: (text: string) => string,
  row: RunRow,
): Promise<RunReplay> {
  const runId = row.id;
  try {
    if (isImported(row)) throw noLog(runId);
    const starts = await store.query('listFoldStarts', { run: row.pk });
    const replaying = new Replay(hosts, row, starts, redact);
    let astray: MessageDivergence | null = null;
    for await (const { event, messages } of readTransitions(store, row)) {
      replaying.take(event);
      if (!replaying.diverged) astray ??= againstMessages(event, messages);
    }
    const { diverged, unfolded = 0, ...rest } = replaying.end();
    return { runId, ...rest, unfolded, diverged: diverged ?? astray, error: null };
  } catch (error) {
    if (!DetentError.is(error) || !unfoldable.has(error.code)) throw error;
    const { code, message } = error;
    return { runId, folded: 0, unfolded: row.seq, diverged: null, error: { code, message } };
  }
}
