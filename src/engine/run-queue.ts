/** Keeps work on the same run strictly serial; different runs do not wait for each other. */
export class Lines {
  /** The last thing in line for each run. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` after all earlier work on the same run, however that ended. */
  enter<T>(runId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(runId) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(runId, mine);
    const leave = () => {
      if (this.#last.get(runId) === mine) this.#last.delete(runId);
    };
    mine.then(leave, leave);
    return mine;
  }

  /** Resolves when all that is in line now is over. */
  async empty(): Promise<void> {
    await Promise.allSettled(this.#last.values());
  }
}
