/** Undo functions of the running program. A rollback costs as much as the program changed. */
export class UndoLog {
  readonly #steps: (() => void)[] = [];

  /** Adds the undo function of a change just made. */
  note(undo: () => void): void {
    this.#steps.push(undo);
  }

  /** Runs `work` atomically: if it throws, undoes its changes, the last one first. */
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
