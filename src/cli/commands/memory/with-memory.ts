import { embeddingsOf } from '../../../memory/embeddings/configured.ts';
import { Memory } from '../../../memory/memory.ts';
import type { Flags } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';
import type { Io } from '../../terminal/io.ts';
import { whileMaking } from '../../trust/places.ts';

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
