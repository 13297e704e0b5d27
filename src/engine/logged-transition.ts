import type { EventRow, MessageRow, RunRow } from '../store/rows.ts';
import type { RunSignal } from './run-signal.ts';
import type { Store } from './statements.ts';

/** One transition for watchers, read from the log. */
export interface LoggedTransition extends RunSignal {
  type: 'transition';
  seq: number;
  /** Milliseconds since the epoch. */
  at: number;
  /** Dotted state path after it. */
  path: string;
  event: { type: string; [key: string]: unknown };
  /** Whether the run ended with it. */
  ended: boolean;
  /** The messages written with it. Messages written when the run was created belong to its first transition. */
  messages: { role: MessageRow['role']; [key: string]: unknown }[];
}

/** The run's messages from a transition on, by transition. Those written at creation belong to the first one. */
export async function messagesBySeq(
  store: Store<'listMessages'>,
  { session, pk: run }: RunRow,
  seq: number,
): Promise<Map<number, MessageRow[]>> {
  const rows = await store.query('listMessages', { session, run, seq: seq === 1 ? 0 : seq });
  return Map.groupBy(
    rows.filter((row) => row.run === run),
    (row) => Math.max(1, row.seq),
  );
}

export function transitionOf(
  runId: string,
  { seq, at, path, type, body }: EventRow,
  messages: readonly MessageRow[],
  ended: boolean,
): LoggedTransition {
  const event = { type, ...JSON.parse(body) };
  return { runId, type: 'transition', seq, at, path, event, ended, messages: messages.map(messageOf) };
}

export function messageOf({ role, body }: MessageRow): LoggedTransition['messages'][number] {
  return { role, ...JSON.parse(body) };
}
