import { readMessages } from '../../engine/log.ts';
import type { MemoryAuthor } from '../../protocol/ports.ts';
import type { MessageRow, RunRow } from '../../store/rows.ts';
import {
  isClearing,
  parseMessage,
  type StoredMessage,
  taintOfAnswer,
  taintOfWords,
  type UserBody,
} from '../../store/stored-message.ts';
import { optionsOf } from '../../store/stored-run.ts';
import type { Store } from '../notes/statements.ts';

/** A line of a conversation. */
export interface SaidLine {
  text: string;
  from: MemoryAuthor;
  /** The run of its message. */
  run: number;
  seq: number;
  role: 'user' | 'assistant';
  /** Milliseconds since the epoch. */
  at: number;
}

/** Characters of the preceding conversation that are indexed with a run, because people do not repeat the subject. */
const maxEarlierChars = 600;
const maxEarlierMessages = 6;
/** Longer messages are pasted files. */
const maxMessageChars = 200_000;

/**
 * The lines of people and models in a run, and those just before it in its session. Read page by page: what tools gave is most of a
 * long run, and has no lines.
 *
 * @param upTo as many lines. Default: all
 */
export async function readTranscript(store: Store, run: RunRow, upTo = Infinity): Promise<SaidLine[]> {
  const { session, pk } = run;
  const newest = await store.query('listMessagesBefore', { session, run: pk, limit: maxEarlierMessages });
  const before = await sinceOtherUsers(store, run, newest);
  const lines = earlierLines(before.map(parseMessage));
  for await (const message of readMessages(store, run)) {
    if (lines.length >= upTo) break;
    lines.push(...saidLines(parseMessage(message)));
  }
  return lines.slice(0, upTo);
}

/**
 * In a session of no user, several may speak. What one user finds must not have the words of another in it, so only what
 * was said since the last run for another user remains.
 *
 * @param messages newest first.
 */
async function sinceOtherUsers(
  store: Store,
  run: RunRow,
  messages: readonly MessageRow[],
): Promise<readonly MessageRow[]> {
  const user = userOf(run);
  if (run.user !== null || user === null) return messages;
  const users = new Map<number, string | null>();
  for (const { run: pk } of messages)
    if (!users.has(pk)) users.set(pk, await userOfRun(store, run.tenant, pk));
  const foreign = messages.findIndex(({ run: pk }) => users.get(pk) !== user);
  return foreign < 0 ? messages : messages.slice(0, foreign);
}

async function userOfRun(store: Store, tenant: number, pk: number): Promise<string | null> {
  const [mark] = await store.query('listRunMarks', { tenant, after: pk - 1, limit: 1 });
  const row = mark?.pk === pk ? await store.query('loadRun', { tenant, id: mark.id }) : undefined;
  return row ? userOf(row) : null;
}

/** The user who may find the words of a run: the user of its session or, if the session has none, the user of the run. */
export function ownerOf(row: Pick<RunRow, 'user' | 'options'>): string | null {
  return row.user ?? userOf(row);
}

/** Whom a run was for; null when its host named no user. */
function userOf(row: Pick<RunRow, 'options'>): string | null {
  return optionsOf(row).principal?.userId ?? null;
}

/** @param messages newest first. */
function earlierLines(messages: readonly StoredMessage[]): SaidLine[] {
  const lines: SaidLine[] = [];
  let chars = 0;
  for (const message of messages) {
    if (isClearing(message)) break;
    for (const line of saidLines(message).reverse()) {
      chars += line.text.length + 1;
      if (chars > maxEarlierChars) return lines.reverse();
      lines.push(line);
    }
  }
  return lines.reverse();
}

function saidLines(message: StoredMessage): SaidLine[] {
  const { role, body, run, seq, at } = message;
  if (role !== 'user' && role !== 'assistant') return [];
  const text = body.text.trim().slice(0, maxMessageChars).toWellFormed();
  if (text === '') return [];
  const from = role === 'user' ? authorOf(body) : taintOfAnswer(body).length > 0 ? 'untrusted' : 'agent';
  return text
    .split(/\r\n?|\n/)
    .map((line, i) => ({ text: i === 0 ? `${role}: ${line}` : line, from, run, seq, role, at }));
}

/** A scheduled job's result counts as what an agent said. */
function authorOf(body: UserBody): SaidLine['from'] {
  if (taintOfWords(body).length > 0) return 'untrusted';
  return body.job ? 'agent' : 'owner';
}
