import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MemoryPlace, MemorySource } from '../protocol/ports.ts';
import { IndexThread } from './index/index-client.ts';
import { Memory, type MemoryOptions } from './memory.ts';
import { eraseHome, handOver } from './notes/hand-over.ts';
import { memoryHome } from './notes/home.ts';
import { recalled } from './notes/recall.ts';

/** Timeout of the recall at the start of a run. */
const recallMs = 2_000;
const maxPassages = 8;

interface MemoriesOptions extends Omit<MemoryOptions, 'home'> {
  /** Called when the recall fails; the run then begins without it. */
  report(error: unknown, runId: string): void;
}

/** The memories of all workspaces and tenants of this process. */
export class Memories implements MemorySource {
  readonly #options: MemoriesOptions & { thread: IndexThread };
  readonly #isSharing: boolean;
  readonly #open = new Map<string, Memory>();

  constructor(options: MemoriesOptions) {
    this.#isSharing = options.thread !== undefined;
    this.#options = { ...options, thread: options.thread ?? new IndexThread() };
  }

  /** The memory of a tenant in a workspace, or of one of its users. */
  of(place: MemoryPlace): Memory {
    const home = memoryHome(place);
    const memory = this.#open.get(home) ?? new Memory({ ...this.#options, home });
    this.#open.set(home, memory);
    return memory;
  }

  search: MemorySource['search'] = (place, queries, limit) => this.of(place).search(queries, limit);

  files: MemorySource['files'] = async (place) => this.of(place).files();

  get: MemorySource['get'] = (place, path, range) => this.of(place).get(path, range);

  write: MemorySource['write'] = (place, lines, how) => this.of(place).write(lines, how);

  recall: MemorySource['recall'] = async (place, prompt, { said, untrusted = new Set() }) => {
    const memory = this.of(place);
    try {
      if (memory.isEmpty()) return null;
      const late = sleep(recallMs, null, { ref: false });
      const [longTerm, found] = await Promise.all([
        memory.longTerm(),
        prompt.trim() === '' ? null : Promise.race([memory.passages([prompt], maxPassages), late]),
      ]);
      const passages = (found?.results ?? []).filter(({ path }) => !untrusted.has(path));
      const own = longTerm && !untrusted.has(longTerm.path) ? longTerm : null;
      return recalled(own, passages, passages.length > 0 ? await said() : '');
    } catch (error) {
      this.#options.report(error, '');
      return null;
    }
  };

  /** Whether anything is kept of a user. */
  isKept(place: MemoryPlace): boolean {
    return existsSync(memoryHome(place));
  }

  /** Gives the memory of a guest to a user of the same tenant: see {@link handOver}. */
  async handOver(from: MemoryPlace, to: MemoryPlace): Promise<void> {
    const homes = [memoryHome(from), memoryHome(to)] as const;
    await this.#leave(homes[0]);
    await handOver(...homes);
  }

  /** Deletes the memory of a user. */
  async erase(place: MemoryPlace & { user: string }): Promise<void> {
    const home = memoryHome(place);
    await this.#leave(home);
    await eraseHome(home);
  }

  /** Closes the index of a home that goes. */
  async #leave(home: string): Promise<void> {
    const memory = this.#open.get(home);
    this.#open.delete(home);
    await memory?.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((memory) => memory.close()));
    if (!this.#isSharing) await this.#options.thread.close();
  }
}

export { memoryTools, sessionSearchTool } from './memory-tools.ts';
export { askedQueries } from './notes/asked-queries.ts';
export { dayLog } from './notes/day-log.ts';
export { conversationIndexes, memoryFolder } from './notes/home.ts';
