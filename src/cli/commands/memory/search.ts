import { type Flags, wholeNumber } from '../../settings/flags.ts';
import { exit } from '../../terminal/exit-codes.ts';
import { indented } from '../../terminal/indented.ts';
import type { Io } from '../../terminal/io.ts';
import { readMemory } from './with-memory.ts';

/** `detent memory search QUERY…`. */
export async function searchMemory(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const limit = wholeNumber(flags, 'limit', 1);
  const found = await readMemory(flags, io, (memory) => memory.search(words, limit));
  if (flags.json) {
    io.json(found);
    return exit.ok;
  }
  for (const { path, startLine, endLine, heading, snippet, from, score } of found.results) {
    const lines = startLine === endLine ? `${startLine}` : `${startLine}-${endLine}`;
    const facts = [`score ${score.toFixed(2)}`, from, ...(heading === '' ? [] : [heading])];
    io.out(`${path}:${lines}  (${facts.join(', ')})\n${indented(snippet)}\n\n`);
  }
  if (found.reason !== null) io.say(`detent: ${found.reason}`);
  return exit.ok;
}
