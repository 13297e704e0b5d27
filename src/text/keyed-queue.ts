/** Runs work under one key strictly serially. Work under different keys runs concurrently. */
export class KeyedQueue {
  /** The last work in the queue of each key. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` after all earlier work under the same key, however that ended. */
  enqueue<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    const leave = () => {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    };
    mine.then(leave, leave);
    return mine;
  }

  /** Resolves when all that is queued now is over. */
  async drain(): Promise<void> {
    await Promise.allSettled(this.#last.values());
  }
}
