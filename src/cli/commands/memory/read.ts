import { Memory } from '../../../memory/memory.ts';
import { embeddingsOf } from '../../../memory/search.ts';
import { whileMaking } from '../../../trust/places.ts';
import { withPort } from '../../drive/with-detent.ts';
import { type Flags, wholeNumber, word } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import { indented } from '../../terminal/indented.ts';
import type { Io } from '../../terminal/io.ts';

/** `detent memory search QUERY…`. */
export async function searchMemory(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const limit = wholeNumber(flags, 'limit', 1);
  const found =
    flags.server === undefined
      ? await withMemory(flags, io, (memory) => memory.search(words, limit))
      : await withPort(await loadOptions(flags, io), ({ ask }) =>
          ask('memory.search', { query: [...words], limit }),
        );
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

/** `detent memory get PATH`. */
export async function getMemory(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const path = word(words, 0, 'the path of a memory file');
  const range = { line: wholeNumber(flags, 'line', 1), limit: wholeNumber(flags, 'limit', 1) };
  const got =
    flags.server === undefined
      ? await withMemory(flags, io, (memory) => memory.get(path, range))
      : await withPort(await loadOptions(flags, io), ({ ask }) => ask('memory.get', { path, ...range }));
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

/** Opens the memory of the workspace for as long as `work` takes. */
export async function withMemory<T>(flags: Flags, io: Io, work: (memory: Memory) => Promise<T>): Promise<T> {
  const { env, workspace, memory: config } = await loadOptions(flags, io);
  const embeddings = embeddingsOf(config?.embeddings, env, workspace);
  const memory = new Memory({ home: workspace, isWatching: false, embeddings });
  return whileMaking({ workspace, env }, async () => {
    try {
      return await work(memory);
    } finally {
      await memory.close();
    }
  });
}
