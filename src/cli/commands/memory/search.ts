import { type Flags, wholeNumber } from '../../settings/flags.ts';
import { exit } from '../../terminal/exit-codes.ts';
import { indented } from '../../terminal/indented.ts';
import { out, printable, say } from '../../terminal/say.ts';
import { withMemory } from './with-memory.ts';

/** `detent memory search QUERY…`. */
export async function searchMemory(words: readonly string[], flags: Flags): Promise<number> {
  const limit = wholeNumber(flags, 'limit', 1);
  const found = await withMemory(flags, (memory) => memory.search(words, limit));
  if (flags.json) {
    out(`${JSON.stringify(found)}\n`);
    return exit.ok;
  }
  for (const { path, startLine, endLine, heading, snippet, from, score } of found.results) {
    const lines = startLine === endLine ? `${startLine}` : `${startLine}-${endLine}`;
    const facts = [`score ${score.toFixed(2)}`, from, ...(heading === '' ? [] : [heading])];
    out(printable(`${path}:${lines}  (${facts.join(', ')})\n${indented(snippet)}\n\n`));
  }
  if (found.reason !== null) say(`detent: ${found.reason}`);
  return exit.ok;
}
