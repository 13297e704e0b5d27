import { embeddingsOf, evaluate, misspelt } from '../../../memory/search.ts';
import { counted } from '../../../text/wording.ts';
import { type Flags, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { columns } from '../../terminal/columns.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { withMemory } from './read.ts';

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

/** `detent memory eval DIR`. */
export async function evaluateMemory(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const folder = io.path(word(words, 0, 'the folder'));
  const { env, workspace, memory } = await loadOptions(flags, io);
  const embeddings = embeddingsOf(memory?.embeddings, env, workspace);
  const found = await evaluate(folder, { embeddings, change: flags.typos ? misspelt : undefined });
  if (flags.json) {
    io.json(found);
    return exit.ok;
  }
  const { hitAt1, hitAt5, recallAt5, recallAt10, ndcgAt10, indexMs, p50Ms, p95Ms } = found;
  const share = (value: number) => value.toFixed(3);
  io.out(
    columns([
      ['files', `${found.files}`],
      ['chunks', `${found.chunks}`],
      ['queries', `${found.queries}`],
      ['mode', found.mode],
      ['hit@1', share(hitAt1)],
      ['hit@5', share(hitAt5)],
      ['recall@5', share(recallAt5)],
      ['recall@10', share(recallAt10)],
      ['nDCG@10', share(ndcgAt10)],
      ['index', `${indexMs.toFixed(0)} ms`],
      ['p50', `${p50Ms.toFixed(1)} ms`],
      ['p95', `${p95Ms.toFixed(1)} ms`],
    ]),
  );
  for (const { path, problem } of found.problems) io.say(`detent: left out: ${path} ${problem}`);
  if (found.unjudged > 0)
    io.say(`detent: ${found.unjudged} more queries name no relevant place and are not counted`);
  if (found.nowhere > 0)
    io.say(`detent: ${found.nowhere} of the relevant places do not exist and count as missed`);
  if (found.reason !== null) io.say(`detent: searched by words only: ${found.reason}`);
  return exit.ok;
}
