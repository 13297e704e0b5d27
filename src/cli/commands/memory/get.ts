import { type Flags, wholeNumber, word } from '../../settings/flags.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { readMemory } from './with-memory.ts';

/** `detent memory get PATH`. */
export async function getMemory(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const path = word(words, 0, 'the path of a memory file');
  const range = { line: wholeNumber(flags, 'line', 1), limit: wholeNumber(flags, 'limit', 1) };
  const got = await readMemory(flags, io, (memory) => memory.get(path, range));
  if (flags.json) {
    io.json(got);
    return exit.ok;
  }
  io.out(`${got.text}\n`);
  if (got.endLine < got.totalLines)
    io.say(
      `detent: lines ${got.startLine}-${got.endLine} of ${got.totalLines}; continue with --line ${got.endLine + 1}`,
    );
  return exit.ok;
}
