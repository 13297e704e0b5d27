import type { MachineHosts } from '../../engine/machine-hosts.ts';
import { type Divergence, replay } from '../../engine/replay.ts';
import { DetentError } from '../../protocol/error.ts';
import { parseMessage } from '../../records/messages.ts';
import type { RunRow } from '../../store/rows.ts';
import { noLog } from '../imported.ts';
import { isImported } from '../is-imported.ts';
import type { Store } from '../statements.ts';
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
  const { session, pk: run } = row;
  // Read only up to the row's seq, since the run may continue meanwhile.
  const events = await store.query('listEvents', { run, after: 0, limit: Number.MAX_SAFE_INTEGER });
  const current = await store.query('loadRun', { tenant: row.tenant, id: runId });
  const isMoving = current !== undefined && current.seq !== row.seq;
  const log = isMoving ? events.filter(({ seq }) => seq <= row.seq) : events;
  const messages = await store.query('listMessagesOfRun', { session, run });
  try {
    if (isImported(row)) throw noLog(runId);
    const { diverged, folded, unfolded = 0 } = replay(hosts, row, log, redact);
    const parsed = messages.filter(({ seq }) => seq <= row.seq).map(parseMessage);
    return { runId, folded, unfolded, diverged: diverged ?? againstMessages(log, parsed), error: null };
  } catch (error) {
    if (!DetentError.is(error) || !unfoldable.has(error.code)) throw error;
    const { code, message } = error;
    return { runId, folded: 0, unfolded: log.length, diverged: null, error: { code, message } };
  }
}
