import type { EventRow, MessageRow, RunRow } from '../store/rows.ts';
import type { RunSignal } from './run-signal.ts';
import { unpacked } from './sent-event.ts';
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
  messages: LoggedMessage[];
}

/** A message for watchers. */
export interface LoggedMessage {
  role: MessageRow['role'];
  [key: string]: unknown;
}

/** Reads a row's body; the engine does not know what is in it. */
export type ReadBody = (row: MessageRow) => object;

/** The run's messages from a transition on, by transition. Those written at creation belong to the first one. */
export async function messagesBySeq(
  store: Store<'listMessages'>,
  { session, pk: run }: RunRow,
  seq: number,
  readBody: ReadBody,
): Promise<Map<number, LoggedMessage[]>> {
  const rows = await store.query('listMessages', { session, run, seq: seq === 1 ? 0 : seq });
  const messages = new Map<number, LoggedMessage[]>();
  for (const row of rows) {
    if (row.run !== run) continue;
    const at = Math.max(1, row.seq);
    messages.set(at, [...(messages.get(at) ?? []), { role: row.role, ...readBody(row) }]);
  }
  return messages;
}

export function transitionOf(
  runId: string,
  { seq, at, path, type, body }: EventRow,
  messages: LoggedMessage[],
  ended: boolean,
): LoggedTransition {
  const event = unpacked({ type, ...JSON.parse(body) });
  return { runId, type: 'transition', seq, at, path, event, ended, messages };
}
