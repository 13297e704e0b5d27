import { isObject, type JsonObject } from '../../protocol/json.ts';
import type { EventRow, MessageRow, RunRow } from '../../store/rows.ts';
import type { RunSignal } from '../bus.ts';
import type { Store } from '../commit/statements.ts';
import { type LogRange, messagesAt, pagesOfLog, readMessages } from '../log/read-log.ts';
import type { EngineEvent } from './machine-host.ts';

/** One transition for watchers, read from the log. */
export interface LoggedTransition extends RunSignal {
  type: 'transition';
  seq: number;
  /** Milliseconds since the epoch. */
  at: number;
  /** Dotted state path after it. */
  path: string;
  event: { type: string; [key: string]: unknown };
  /** Who sent the event, if a person or a program did. */
  by?: string;
  /** Whether the run ended with it. */
  ended: boolean;
  /** The messages written with it. Messages written when the run was created belong to its first transition. */
  messages: LoggedMessage[];
}

/** A message for watchers. */
interface LoggedMessage {
  role: MessageRow['role'];
  [key: string]: unknown;
}

/** Reads a row's body; the engine does not know what is in it. */
export type ReadBody = (row: MessageRow) => object;

/**
 * The log of a run: each row with the messages that were written with it, both page by page.
 *
 * @param range must not reach behind the last transition of `row`: what is written meanwhile may lack its messages.
 */
export async function* readTransitions(
  store: Store<'listEvents' | 'pageMessagesOfRun'>,
  row: RunRow,
  { after = 0, upTo = row.seq }: LogRange = {},
): AsyncGenerator<{ event: EventRow; messages: MessageRow[] }> {
  const written = readMessages(store, row, messagesAt(after + 1, upTo));
  let next = await written.next();
  for await (const page of pagesOfLog(store, row.pk, { after, upTo }))
    for (const event of page) {
      const messages: MessageRow[] = [];
      for (; !next.done && next.value.seq <= event.seq; next = await written.next())
        messages.push(next.value);
      yield { event, messages };
    }
}

export function transitionOf(
  runId: string,
  { seq, at, path, type, body }: EventRow,
  messages: LoggedMessage[],
  ended: boolean,
): LoggedTransition {
  return {
    runId,
    type: 'transition',
    seq,
    at,
    path,
    ...toldOf({ type, ...JSON.parse(body) }),
    ended,
    messages,
  };
}

/** A logged event as watchers get it. */
export function toldOf(event: EngineEvent): Pick<LoggedTransition, 'event' | 'by'> {
  const by = senderOf(event);
  return { event: unpacked(event), ...(by !== undefined && { by }) };
}

export function loggedMessage(row: MessageRow, readBody: ReadBody): LoggedMessage {
  return { role: row.role, ...readBody(row) };
}

/**
 * The engine writes its own time and effect number, and who sent it, into each event. If the event has fields of these names,
 * they are kept here.
 */
const ownFields = '$own';

const sender = '$by';

/** An event as the engine takes it. @param by who sends it */
export function packed<E extends { type: string }>(event: E, by?: string): Omit<E, 'at' | 'effectId'> {
  const { at, effectId, [sender]: like, ...others } = event as E & Record<string, unknown>;
  const own = {
    ...(at !== undefined && { at }),
    ...(effectId !== undefined && { effectId }),
    ...(like !== undefined && { [sender]: like }),
  };
  return {
    ...others,
    ...(Object.keys(own).length > 0 && { [ownFields]: own }),
    ...(by !== undefined && { [sender]: by }),
  } as Omit<E, 'at' | 'effectId'>;
}

/** Who sent an event, as the engine took it. */
export function senderOf({ [sender]: by }: Record<string, unknown>): string | undefined {
  return typeof by === 'string' ? by : undefined;
}

/** The event without who sent it. */
export function unsigned<E extends object>(event: E): E {
  const { [sender]: _, ...others } = event as E & Record<string, unknown>;
  return others as E;
}

/**
 * The event as it was sent. The engine's time is added as a non-enumerable field unless the event has a field of that
 * name, so a chart that stores the event stores the same as in XState.
 */
export function unpacked(event: { type: string; at?: unknown; [field: string]: unknown }): { type: string } {
  const { at, [ownFields]: own, ...sent } = unsigned(event);
  if (isObject(own)) Object.assign(sent, own as JsonObject);
  return at === undefined || 'at' in sent ? sent : Object.defineProperty(sent, 'at', { value: at });
}
