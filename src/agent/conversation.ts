import type { RunRow } from '../engine/statements.ts';
import type { Store } from '../engine/store.ts';
import { parseMessage, type StoredMessage, type SummaryBody } from './messages.ts';
import { type Block, toBlocks } from './projection.ts';

export interface Conversation {
  summary: string | null;
  blocks: Block[];
  /** The last transition whose messages are in `blocks`. */
  upTo: number;
}

/**
 * What a call of this run sees: the session since its last summary, without the messages that the run's machine counts
 * as unseen.
 *
 * @param unseen messages of the user that came after the call was asked for.
 */
export async function readConversation(store: Store, run: RunRow, unseen: number): Promise<Conversation> {
  const session = await store.query('findSession', { tenant: run.tenant, key: run.sessionKey });
  const head = { run: session?.headRun ?? 0, seq: session?.headSeq ?? 0 };
  const rows = await store.query('listMessages', { session: run.session, ...head });
  const messages = rows
    .map(parseMessage)
    .filter((message) => message.run < run.pk || (message.run === run.pk && message.seq <= run.seq))
    .filter((message) => message.role !== 'summary');
  const late = lateMessages(messages, run.pk, unseen);
  const upTo = late.length > 0 ? Math.min(...late.map((message) => message.seq)) - 1 : run.seq;
  const summary = head.run === 0 ? null : await readSummary(store, run.session);
  return { summary, blocks: toBlocks(messages.filter((message) => !late.includes(message))), upTo };
}

function lateMessages(messages: readonly StoredMessage[], run: number, unseen: number): StoredMessage[] {
  if (unseen === 0) return [];
  return messages.filter((message) => message.role === 'user' && message.run === run).slice(-unseen);
}

async function readSummary(store: Store, session: number): Promise<string | null> {
  const row = await store.query('lastSummary', { session });
  return row ? (JSON.parse(row.body) as SummaryBody).text : null;
}
