import { type Flags, usage } from '../../settings/flags.ts';
import { counted } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { withMemory } from './with-memory.ts';

/** `detent memory write LINE…`. */
export async function writeMemory(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const lines = words.filter((line) => line.trim() !== '').map((text) => ({ text, isUntrusted: false }));
  if (lines.length === 0) throw usage('there is nothing to write');
  const how = {
    at: Date.now(),
    key: null,
    to: flags['long-term'] ? ('long_term' as const) : ('day' as const),
  };
  const written = await withMemory(flags, io, (memory) => memory.write(lines, how));
  if (flags.json) io.json(written);
  else io.out(`wrote ${counted(written.lines, 'line')} to ${written.path}\n`);
  return exit.ok;
}
