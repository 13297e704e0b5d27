import { taintView } from '../agent/policy/taint.ts';
import type { TaintView } from '../protocol/run-view.ts';
import { parseMessage, type StoredTaint } from '../records/messages.ts';
import { optionsOf } from '../records/stored-run.ts';
import { flowContextOf, isWorkflowRun, workflowOptionsOf } from '../records/workflow-run.ts';
import type { RunRow } from '../store/rows.ts';
import type { MessageStatements } from '../store/statements.ts';
import type { Store as StoreOf } from '../store/store.ts';

type Store = StoreOf<Pick<MessageStatements, 'listMessagesOfRun'>>;

/**
 * The sources of untrusted text in the result of a run: what an agent's newest prompt had, or what the services of a
 * workflow gave it. Whoever takes a result into another conversation or a file asks here.
 */
export async function taintOfRun(store: Store, row: RunRow): Promise<readonly StoredTaint[]> {
  if (isWorkflowRun(row)) return [...(workflowOptionsOf(row).tainted ?? []), ...flowContextOf(row).tainted];
  const messages = await store.query('listMessagesOfRun', { session: row.session, run: row.pk });
  const newest = messages
    .map(parseMessage)
    .findLast(({ role, body }) => role === 'assistant' && body.tainted !== undefined);
  return newest?.role === 'assistant' ? (newest.body.tainted ?? []) : (optionsOf(row).tainted ?? []);
}

/** For the view of a run. */
export async function taintedOf(store: Store, row: RunRow): Promise<{ tainted?: TaintView[] }> {
  const sources = await taintOfRun(store, row);
  return sources.length > 0 ? { tainted: taintView(sources, row.pk) } : {};
}
