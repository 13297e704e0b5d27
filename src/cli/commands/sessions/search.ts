import { askedQueries } from '../../../memory/asked-queries.ts';
import { nothingSaid } from '../../../memory/conversations/conversations.ts';
import { isoTime } from '../../../text/iso-time.ts';
import { reading } from '../../drive/with-detent.ts';
import { type Flags, text, wholeNumber } from '../../settings/flags.ts';
import { hasDatabase, loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import { indented } from '../../terminal/indented.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent sessions search QUERY…`. */
export async function searchSessions(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  askedQueries(words);
  const limit = wholeNumber(flags, 'limit', 1);
  const userId = text(flags, 'user');
  const asked = { ...(limit !== undefined && { limit }), ...(userId !== undefined && { userId }) };
  const options = await loadOptions(flags, io);
  const found = hasDatabase(options)
    ? await reading(options, (detent) => detent.sessions.search(words, asked))
    : nothingSaid;
  if (flags.json) {
    io.json(found);
    return exit.ok;
  }
  for (const { sessionId, runId, at, from, snippet } of found.results) {
    const facts = [isoTime(at), runId, ...(from === 'untrusted' ? [from] : [])];
    io.out(`${sessionId}  (${facts.join(', ')})\n${indented(snippet)}\n\n`);
  }
  if (found.reason !== null) io.say(`detent: ${found.reason}`);
  return exit.ok;
}
