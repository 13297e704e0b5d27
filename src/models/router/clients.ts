import type { LRUCache } from 'lru-cache';
import type { ChatModel } from '../../protocol/ports.ts';

/** An LRU cache of clients, by connection. An evicted client keeps working for calls that hold it. */
export class Clients {
  readonly #max: number;
  #kept: Promise<LRUCache<string, Promise<ChatModel>>> | undefined;

  /** @param max number of cached clients; the least recently used one is evicted first */
  constructor(max: number) {
    this.#max = max;
  }

  /** The client of a connection, made on a miss. Rejects as `make` does, and then caches nothing. */
  async get(connection: string, make: () => Promise<ChatModel>): Promise<ChatModel> {
    this.#kept ??= open(this.#max);
    const kept = await this.#kept;
    const client = kept.get(connection) ?? make();
    kept.set(connection, client);
    client.catch(() => kept.peek(connection) === client && kept.delete(connection));
    return client;
  }
}

/** Imports `lru-cache` with the first provider: a run of the demo does not need it. */
async function open(max: number): Promise<LRUCache<string, Promise<ChatModel>>> {
  const { LRUCache } = await import('lru-cache');
  return new LRUCache({ max: max });
}
