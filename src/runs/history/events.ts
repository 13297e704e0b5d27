import type { LogRange } from '../../engine/log.ts';
import { type LoggedTransition, loggedMessage, readTransitions, transitionOf } from '../../engine/machine.ts';
import type { RunRow } from '../../store/rows.ts';
import { parseBody } from '../../store/stored-message.ts';
import { eventName, readNames } from '../flows/flow-names.ts';
import type { Store } from '../rows/statements.ts';

/** A transition of the log, with the hash of the run's context after it. */
export interface LoggedEvent extends LoggedTransition {
  hash: string;
  /** Of a workflow: its event in the names of its chart, such as `approve done` or `after 7 days`. */
  label?: string;
}

/** The log of a run joined with its messages: the transitions as watchers got them, read page by page. */
export async function* readEvents(
  store: Store,
  row: RunRow,
  range: LogRange = {},
): AsyncGenerator<LoggedEvent> {
  const nameOf = await readNames(store, row);
  for await (const { event, messages } of readTransitions(store, row, range)) {
    const ended = row.ended === 1 && event.seq === row.seq;
    const shown = messages.map((message) => loggedMessage(message, parseBody));
    const transition = transitionOf(row.id, event, shown, ended);
    yield {
      ...transition,
      hash: event.hash,
      ...(nameOf && { label: eventName(transition.event, nameOf) }),
    };
  }
}
