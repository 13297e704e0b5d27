import {
  type CountedCall,
  parseMessage,
  type StoredMessage,
  type SummaryBody,
} from '../../records/messages.ts';
import type { MessageRow } from '../../store/rows.ts';
import { type Block, toBlocks } from '../messages/blocks.ts';
import type { TaintedConversation } from '../policy/taint.ts';
import type { Reading, RunJob } from '../run-effect.ts';
import type { Store } from '../statements.ts';
import type { Position } from './pruning.ts';

export interface Conversation {
  summary: string | null;
  /** What policy reads of it to find untrusted text. */
  read: TaintedConversation;
  blocks: Block[];
  /** Up to where long tool results are shortened in prompts; `blocks` has them whole. */
  pruned: Position;
  /** The last transition whose messages are in `blocks`. */
  upTo: number;
  /** The calls of a model whose rows are still read, newest first. */
  callsOf(model: string): CountedCall[];
  /** What a compaction has written down that this model had refused. */
  refusedBy(model: string): Pick<SummaryBody, 'window' | 'room'>;
}

/** Whose conversation is read, and where what was read of it is kept. */
type Reader = Pick<RunJob, 'run'> & { cache: Pick<RunJob['cache'], 'reading'> };

/**
 * What a call of this run sees: the session since its last summary, without the messages that the run's machine counts
 * as unseen.
 *
 * @param unseen messages of the user that came after the call was asked for.
 */
export async function readConversation(store: Store, reader: Reader, unseen: number): Promise<Conversation> {
  const { run } = reader;
  const session = await store.query('findSession', { tenant: run.tenant, key: run.sessionKey });
  const head = { run: session?.headRun ?? 0, seq: session?.headSeq ?? 0 };
  const { messages, blocks } = await readMessages(store, reader, head);
  const late = lateMessages(messages, run.pk, unseen);
  const upTo = late.length > 0 ? Math.min(...late.map((message) => message.seq)) - 1 : run.seq;
  const summary = head.run === 0 ? null : await readSummary(store, run.session);
  return {
    // One of no words cleared the session.
    summary: summary?.text || null,
    read: { messages, summary },
    blocks: toBlocks(
      messages.filter((message) => !late.includes(message)),
      blocks,
    ),
    pruned: { run: session?.prunedRun ?? 0, seq: session?.prunedSeq ?? 0 },
    upTo,
    callsOf: (model) => callsOf(messages, summary, model),
    refusedBy: (model) => (summary?.provider === model ? summary : {}),
  };
}

function callsOf(
  messages: readonly StoredMessage[],
  summary: SummaryBody | null,
  model: string,
): CountedCall[] {
  const answers = messages.flatMap(({ role, body }) =>
    role === 'assistant' && body.provider === model ? [body] : [],
  );
  return [...answers.reverse(), ...(summary?.provider === model ? [summary] : [])];
}

/** Messages do not change once they are written, so each call of a run reads only those since the call before. */
async function readMessages(store: Store, { run, cache }: Reader, head: Position): Promise<Reading> {
  const last = cache.reading;
  const known = last?.head.run === head.run && last.head.seq === head.seq ? last : null;
  const from = known ? { run: run.pk, seq: known.upTo + 1 } : head;
  const rows = await store.query('listMessages', { session: run.session, ...from });
  const isPart = (row: MessageRow) =>
    row.role !== 'summary' && (row.run < run.pk || (row.run === run.pk && row.seq <= run.seq));
  const messages = [...(known?.messages ?? []), ...rows.filter(isPart).map(parseMessage)];
  cache.reading = { head, messages, blocks: known?.blocks ?? new Map(), upTo: run.seq };
  return cache.reading;
}

function lateMessages(messages: readonly StoredMessage[], run: number, unseen: number): StoredMessage[] {
  if (unseen === 0) return [];
  return messages.filter((message) => message.role === 'user' && message.run === run).slice(-unseen);
}

async function readSummary(store: Store, session: number): Promise<SummaryBody | null> {
  const row = await store.query('lastSummary', { session });
  return row ? (JSON.parse(row.body) as SummaryBody) : null;
}
