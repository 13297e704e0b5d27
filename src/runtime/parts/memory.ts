import type { Clock } from '../../engine/clock.ts';
import { conversationIndexes, Memories, memoryTools, sessionSearchTool } from '../../memory/memories.ts';
import { Conversations, embeddingsOf, IndexThread } from '../../memory/search.ts';
import type { TaintedFiles } from '../../protocol/ports.ts';
import type { Tool } from '../../protocol/tool.ts';
import type { Store } from '../../store/store.ts';
import type { DetentOptions } from '../config/detent-options.ts';
import type { SecretRedactor } from '../config/redaction.ts';

interface OpenedMemory {
  memory: Memories;
  /** The index of past conversations. */
  conversations: Conversations;
  tools: readonly Tool[];
  close(): Promise<void>;
}

interface MemoryParts {
  workspace: string;
  store: Store;
  /** Beside which file the indexes of conversations lie; null where they are in memory. */
  indexes: string | null;
  clock: Clock;
  secrets: SecretRedactor;
  tainted: TaintedFiles;
  report(error: unknown, runId: string): void;
}

/** Opens the memory and the index of conversations. The worker thread of the indexes starts with the first search. */
export function openMemory(
  { memory: config = {}, env = process.env, readonly }: DetentOptions,
  { workspace, store, indexes, clock, secrets, tainted, report }: MemoryParts,
): OpenedMemory {
  const { embeddings } = config;
  if (embeddings?.apiKeyEnv !== undefined) secrets.add(embeddings.apiKeyEnv);
  const thread = new IndexThread();
  const memory = new Memories({
    isWatching: !readonly,
    embeddings: embeddingsOf(embeddings, env, workspace),
    thread,
    report,
  });
  const conversations = new Conversations({ store, thread, indexFile: conversationIndexes(indexes) });
  return {
    memory,
    conversations,
    tools: [
      ...memoryTools({
        memory,
        opened: workspace,
        redact: secrets.redact,
        now: () => clock.now(),
        tainted,
      }),
      sessionSearchTool(conversations),
    ],
    async close() {
      await memory.close();
      await conversations.close();
      await thread.close();
    },
  };
}
