import type { Flags } from '../../settings/flags.ts';
import { counted } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { withMemory } from './with-memory.ts';

/** `detent memory status`. */
export function memoryStatus(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  return printStatus(flags, io, null);
}

/** `detent memory index`. */
export function indexMemory(_: readonly string[], flags: Flags, io: Io): Promise<number> {
  return printStatus(flags, io, { isAnew: flags.rebuild === true });
}

async function printStatus(flags: Flags, io: Io, indexing: { isAnew: boolean } | null): Promise<number> {
  const status = await withMemory(flags, io, async (memory) => {
    if (indexing) await memory.index(indexing.isAnew);
    return memory.status();
  });
  if (flags.json) {
    io.json(status);
    return exit.ok;
  }
  const { home, file, indexed, chunks, problems } = status;
  io.out(`${counted(indexed, 'file')} in ${counted(chunks, 'chunk')}, of ${home}\nindex: ${file}\n`);
  for (const { path, problem } of problems) io.out(`left out: ${path} ${problem}\n`);
  return exit.ok;
}
