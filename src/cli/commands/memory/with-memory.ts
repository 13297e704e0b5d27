import { embeddingsOf } from '../../../memory/embeddings/configured.ts';
import { Memory } from '../../../memory/memory.ts';
import { withDetent } from '../../drive/with-detent.ts';
import type { Flags } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import type { Io } from '../../terminal/io.ts';
import { whileMaking } from '../../trust/places.ts';

/** What can be done with the memory of a gateway, too. */
export type ReadMemory = Pick<Memory, 'search' | 'get'>;

/** Reads the memory of the workspace, or that of the gateway. */
export async function readMemory<T>(
  flags: Flags,
  io: Io,
  work: (memory: ReadMemory) => Promise<T>,
): Promise<T> {
  if (flags.server === undefined) return withMemory(flags, io, work);
  return withDetent(await loadOptions(flags, io), ({ memory }) =>
    work({
      search: (queries, limit) => memory.search(queries, limit === undefined ? {} : { limit }),
      get: (path, { line, limit } = {}) =>
        memory.get(path, { ...(line !== undefined && { line }), ...(limit !== undefined && { limit }) }),
    }),
  );
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
