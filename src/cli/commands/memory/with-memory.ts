import { embeddingsOf } from '../../../memory/embeddings/configured.ts';
import { Memory } from '../../../memory/memory.ts';
import type { Flags } from '../../settings/flags.ts';
import { loadOptions } from '../../settings/load-options.ts';

/** Opens the memory of the workspace for as long as `work` takes. */
export async function withMemory<T>(flags: Flags, work: (memory: Memory) => Promise<T>): Promise<T> {
  const { workspace, memory: config } = await loadOptions(flags);
  const embeddings = embeddingsOf(config?.embeddings, process.env, workspace);
  const memory = new Memory({ home: workspace, isWatching: false, embeddings });
  try {
    return await work(memory);
  } finally {
    await memory.close();
  }
}
