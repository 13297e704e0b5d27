import { type LoggedTransition, messagesBySeq, transitionOf } from '../../engine/logged-transition.ts';
import { parseBody } from '../../records/messages.ts';
import { isWorkflowRun } from '../../records/workflow-run.ts';
import type { RunRow } from '../../store/rows.ts';
import { eventName, namesOf } from '../flows/flow-names.ts';
import type { Store } from '../statements.ts';

/** A transition of the log, with the hash of the run's context after it. */
export interface LoggedEvent extends LoggedTransition {
  hash: string;
  /** Of a workflow: its event in the names of its chart, such as `approve done` or `after 7 days`. */
  label?: string;
}

/**
 * The log of a run joined with its messages: the transitions as watchers got them.
 *
 * @param afterSeq leaves out the transitions up to this one.
 */
export async function readEvents(store: Store, row: RunRow, afterSeq = 0): Promise<LoggedEvent[]> {
  const limit = Math.max(0, row.seq - afterSeq);
  const events = await store.query('listEvents', { run: row.pk, after: afterSeq, limit });
  const messages = await messagesBySeq(store, row, afterSeq + 1, parseBody);
  const nameOf = isWorkflowRun(row) ? namesOf(await store.query('listEffects', { run: row.pk })) : null;
  return events.map((event) => {
    const ended = row.ended === 1 && event.seq === row.seq;
    const transition = transitionOf(row.id, event, messages.get(event.seq) ?? [], ended);
    return {
      ...transition,
      hash: event.hash,
      ...(nameOf && { label: eventName(transition.event, nameOf) }),
    };
  });
}
