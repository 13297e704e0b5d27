import type { MemoryAuthor } from '../../ports/memory-source.ts';
import { isClearing, parseMessage, type StoredMessage } from '../../records/messages.ts';
import { importedModel } from '../../records/run-options.ts';
import type { Store } from '../statements.ts';

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

/** The lines of people and models in a run, and those just before it in its session. */
export async function readTranscript(
  store: Store,
  { session, pk }: { session: number; pk: number },
): Promise<SaidLine[]> {
  const before = await store.query('listMessagesBefore', { session, run: pk, limit: maxEarlierMessages });
  const own = await store.query('listMessagesOfRun', { session, run: pk });
  return [...earlierLines(before.map(parseMessage)), ...own.map(parseMessage).flatMap(linesOf)];
}

/** @param messages newest first. */
function earlierLines(messages: readonly StoredMessage[]): SaidLine[] {
  const lines: SaidLine[] = [];
  let chars = 0;
  for (const message of messages) {
    if (isClearing(message)) break;
    for (const line of linesOf(message).reverse()) {
      chars += line.text.length + 1;
      if (chars > maxEarlierChars) return lines.reverse();
      lines.push(line);
    }
  }
  return lines.reverse();
}

function linesOf(message: StoredMessage): SaidLine[] {
  const { role, body, run, seq, at } = message;
  if (role !== 'user' && role !== 'assistant') return [];
  const text = body.text.trim().slice(0, maxMessageChars).toWellFormed();
  if (text === '') return [];
  // It is unknown what an imported model had read, so its answers count as tainted.
  const isTainted = role === 'assistant' && (body.tainted || body.provider === importedModel);
  const from = role === 'user' ? 'owner' : isTainted ? 'untrusted' : 'agent';
  return text
    .split(/\r\n?|\n/)
    .map((line, i) => ({ text: i === 0 ? `${role}: ${line}` : line, from, run, seq, role, at }));
}
