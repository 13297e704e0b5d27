import type { Flags } from '../../settings/flags.ts';
import { counted } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import { out, printable } from '../../terminal/say.ts';
import { withMemory } from './with-memory.ts';

/** `detent memory status`. */
export function memoryStatus(_: readonly string[], flags: Flags): Promise<number> {
  return told(flags, null);
}

/** `detent memory index`. */
export function indexMemory(_: readonly string[], flags: Flags): Promise<number> {
  return told(flags, { isAnew: flags.rebuild === true });
}

async function told(flags: Flags, indexing: { isAnew: boolean } | null): Promise<number> {
  const status = await withMemory(flags, async (memory) => {
    if (indexing) await memory.index(indexing.isAnew);
    return memory.status();
  });
  if (flags.json) {
    out(`${JSON.stringify(status)}\n`);
    return exit.ok;
  }
  const { home, file, indexed, chunks, problems } = status;
  out(printable(`${counted(indexed, 'file')} in ${counted(chunks, 'chunk')}, of ${home}\nindex: ${file}\n`));
  for (const { path, problem } of problems) out(printable(`left out: ${path} ${problem}\n`));
  return exit.ok;
}
