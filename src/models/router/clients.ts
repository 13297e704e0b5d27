import type { LRUCache } from 'lru-cache';
import type { ChatModel } from '../../ports/chat-model.ts';

/** The clients last used, by connection. One that is dropped goes on for whoever holds it. */
export class Clients {
  readonly #most: number;
  #kept: Promise<LRUCache<string, Promise<ChatModel>>> | undefined;

  /** @param most clients kept; the one unused for longest is dropped first */
  constructor(most: number) {
    this.#most = most;
  }

  /** The client of a connection, made when there is none. Rejects as `make` does, and then keeps nothing. */
  async get(connection: string, make: () => Promise<ChatModel>): Promise<ChatModel> {
    this.#kept ??= open(this.#most);
    const kept = await this.#kept;
    const client = kept.get(connection) ?? make();
    kept.set(connection, client);
    client.catch(() => kept.peek(connection) === client && kept.delete(connection));
    return client;
  }
}

/** Loaded with the first provider: a run of the demo needs none. */
async function open(most: number): Promise<LRUCache<string, Promise<ChatModel>>> {
  const { LRUCache } = await import('lru-cache');
  return new LRUCache({ max: most });
}
