import { taintView } from '../../call/policy.ts';
import { readMessages } from '../../engine/log.ts';
import type { TaintView } from '../../protocol/views.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Statements } from '../../store/statements.ts';
import type { Store as StoreOf } from '../../store/store.ts';
import { parseMessage, type StoredMessage, type StoredTaint } from '../../store/stored-message.ts';
import { flowContextOf, isWorkflowRun, optionsOf, workflowOptionsOf } from '../../store/stored-run.ts';

type Store = StoreOf<Pick<Statements, 'pageMessagesOfRun'>>;

/**
 * The sources of untrusted text in the result of a run: what an agent's newest prompt had, or what the services of a
 * workflow gave it. Whoever takes a result into another conversation or a file asks here.
 */
export async function taintOfRun(store: Store, row: RunRow): Promise<readonly StoredTaint[]> {
  if (isWorkflowRun(row)) return taintOfFlow(row);
  return taintAmong(row, (await Array.fromAsync(readMessages(store, row))).map(parseMessage));
}

/** Of a run of an agent, by its messages. */
export function taintAmong(row: RunRow, messages: readonly StoredMessage[]): readonly StoredTaint[] {
  const newest = messages.findLast(({ role, body }) => role === 'assistant' && body.tainted !== undefined);
  return newest?.role === 'assistant' ? (newest.body.tainted ?? []) : (optionsOf(row).tainted ?? []);
}

export function taintOfFlow(row: RunRow): readonly StoredTaint[] {
  return [...(workflowOptionsOf(row).tainted ?? []), ...flowContextOf(row).tainted];
}

/** For the view of a run. */
export function taintedView({ pk }: RunRow, sources: readonly StoredTaint[]): { tainted?: TaintView[] } {
  return sources.length > 0 ? { tainted: taintView(sources, pk) } : {};
}
