import type { TaintedConversation } from '../../call/policy.ts';
import type { MessageRow } from '../../store/rows.ts';
import {
  type CountedCall,
  isBefore,
  type Position,
  parseMessage,
  type StoredMessage,
  type SummaryBody,
} from '../../store/stored-message.ts';
import { firstEffect, type PromptPlace, type Reading, type RunJob } from '../effect/run-effect.ts';
import type { Store } from '../effect/statements.ts';
import { type Block, BlockList, toBlocks } from '../messages/blocks.ts';

export interface Conversation {
  summary: string | null;
  /** The part that policy reads to find untrusted text. */
  read: TaintedConversation;
  blocks: Block[];
  /** Prompts shorten long tool results up to this place; `blocks` has them whole. */
  pruned: Position;
  /** The last transition whose messages are in `blocks`. */
  upTo: number;
  /** A model's calls in the rows of the conversation, newest first. */
  callsOf(model: string): CountedCall[];
  /** What the last compaction stored about prompts that this model had refused. */
  refusedBy(model: string): Pick<SummaryBody, 'window' | 'room'>;
}

/** The run whose conversation is read, and its cache. */
type Reader = Pick<RunJob, 'run' | 'cache'> & Partial<Pick<RunJob, 'effectId'>>;

/** Whether the run was the first of its session, and has written all that is there since it was made. */
const isWhole = ({ run, cache }: Reader) => run.ordinal === 1 && cache.written?.[0]?.seq === 0;

/**
 * The conversation that a call of this run sees: the session since its last summary, without the messages that the run's
 * machine counts as unseen.
 *
 * @param unseen number of user messages that arrived after the call was requested.
 * @param place default: where the session stands now.
 */
export async function readConversation(
  store: Store,
  reader: Reader,
  unseen: number,
  place?: PromptPlace,
): Promise<Conversation> {
  const { run } = reader;
  const { head, pruned, summary } = place ?? (await placeNow(store, reader));
  const { messages, blocks } = await readMessages(store, reader, head);
  const late = lateMessages(messages, run.pk, unseen);
  const upTo = late.length > 0 ? Math.min(...late.map((message) => message.seq)) - 1 : run.seq;
  return {
    // An empty summary marks a cleared session.
    summary: summary?.text || null,
    read: { messages, summary },
    blocks:
      late.length === 0 ? blocks.all() : toBlocks(messages.filter((message) => !late.includes(message))),
    pruned,
    upTo,
    callsOf: (model) => callsOf(messages, summary, model),
    refusedBy: (model) => (summary?.provider === model ? summary : {}),
  };
}

async function placeNow(store: Store, reader: Reader): Promise<PromptPlace> {
  const { run, cache, effectId } = reader;
  if (cache.place) return cache.place;
  // Nothing has moved a place before the first effect of a session ends.
  const isNew = isWhole(reader) && effectId === firstEffect;
  const session = isNew
    ? null
    : await store.query('findSession', { tenant: run.tenant, key: run.sessionKey });
  const head = { run: session?.headRun ?? 0, seq: session?.headSeq ?? 0 };
  cache.place = {
    head,
    pruned: { run: session?.prunedRun ?? 0, seq: session?.prunedSeq ?? 0 },
    summary: head.run === 0 ? null : await readSummary(store, run.session),
  };
  return cache.place;
}

function callsOf(
  messages: readonly StoredMessage[],
  summary: SummaryBody | null,
  model: string,
): CountedCall[] {
  const calls: CountedCall[] = [];
  for (let i = messages.length - 1; i >= 0; i--) {
    const { role, body } = messages[i] as StoredMessage;
    if (role === 'assistant' && body.provider === model) calls.push(body);
  }
  if (summary?.provider === model) calls.push(summary);
  return calls;
}

/**
 * Messages do not change once they are written, and the run alone adds some while it works. So its first call reads them, and later
 * calls take what its own transitions have written since. Of a session that began with the run they have written all.
 */
async function readMessages(store: Store, reader: Reader, head: Position): Promise<Reading> {
  const { run, cache } = reader;
  const { written } = cache;
  const last = cache.reading;
  const known = last?.head.run === head.run && last.head.seq === head.seq ? last : null;
  const from = known ? { run: run.pk, seq: known.upTo + 1 } : head;
  const rows =
    written && (known || isWhole(reader))
      ? written.filter((message) => !isBefore(message, from))
      : await store.query('listMessages', { session: run.session, ...from });
  // Another reader of this run was faster, and has added these rows.
  if (cache.reading !== last) return readMessages(store, reader, head);
  const added = rows.filter((row) => isPart(row, run)).map(parseMessage);
  const blocks = known?.blocks ?? new BlockList();
  // A list that has refused a message is not used again.
  cache.reading = null;
  blocks.add(added);
  written?.splice(0, written.filter(({ seq }) => seq <= run.seq).length);
  cache.reading = { head, messages: [...(known?.messages ?? []), ...added], blocks, upTo: run.seq };
  return cache.reading;
}

function isPart({ role, run, seq }: MessageRow, reader: RunJob['run']): boolean {
  return role !== 'summary' && (run < reader.pk || (run === reader.pk && seq <= reader.seq));
}

function lateMessages(messages: readonly StoredMessage[], run: number, unseen: number): StoredMessage[] {
  if (unseen === 0) return [];
  return messages.filter((message) => message.role === 'user' && message.run === run).slice(-unseen);
}

async function readSummary(store: Store, session: number): Promise<SummaryBody | null> {
  const row = await store.query('lastSummary', { session });
  return row ? (JSON.parse(row.body) as SummaryBody) : null;
}
