import { type Flags, usage } from '../../settings/flags.ts';
import { counted } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import { out } from '../../terminal/say.ts';
import { withMemory } from './with-memory.ts';

/** `detent memory write LINE…`. */
export async function writeMemory(words: readonly string[], flags: Flags): Promise<number> {
  const lines = words.filter((line) => line.trim() !== '').map((text) => ({ text, isUntrusted: false }));
  if (lines.length === 0) throw usage('there is nothing to write');
  const how = {
    at: Date.now(),
    key: null,
    to: flags['long-term'] ? ('long_term' as const) : ('day' as const),
  };
  const written = await withMemory(flags, (memory) => memory.write(lines, how));
  if (flags.json) out(`${JSON.stringify(written)}\n`);
  else out(`wrote ${counted(written.lines, 'line')} to ${written.path}\n`);
  return exit.ok;
}
