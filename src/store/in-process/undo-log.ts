/** How to take back what the program that runs now has changed: the price of a rollback is what was touched. */
export class UndoLog {
  readonly #steps: (() => void)[] = [];

  /** Notes how to take back a change that has just been made. */
  note(undo: () => void): void {
    this.#steps.push(undo);
  }

  /** Runs `work` wholly or not at all: what it changed before it threw is taken back, last change first. */
  atomically<T>(work: () => T): T {
    const start = this.#steps.length;
    try {
      const result = work();
      if (start === 0) this.#steps.length = 0;
      return result;
    } catch (error) {
      while (this.#steps.length > start) this.#steps.pop()?.();
      throw error;
    }
  }
}
