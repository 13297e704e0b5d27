import { type Flags, wholeNumber, word } from '../../settings/flags.ts';
import { exit } from '../../terminal/exit-codes.ts';
import { out, printable, say } from '../../terminal/say.ts';
import { withMemory } from './with-memory.ts';

/** `detent memory get PATH`. */
export async function getMemory(words: readonly string[], flags: Flags): Promise<number> {
  const path = word(words, 0, 'the path of a memory file');
  const range = { line: wholeNumber(flags, 'line', 1), limit: wholeNumber(flags, 'limit', 1) };
  const got = await withMemory(flags, (memory) => memory.get(path, range));
  if (flags.json) {
    out(`${JSON.stringify(got)}\n`);
    return exit.ok;
  }
  out(printable(`${got.text}\n`));
  if (got.endLine < got.totalLines)
    say(
      `detent: lines ${got.startLine}-${got.endLine} of ${got.totalLines}; go on with --line ${got.endLine + 1}`,
    );
  return exit.ok;
}
