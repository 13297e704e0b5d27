/** Values of a producer for one reader, in order. What has come is read before an error. */
export class Queue<T> {
  #values: T[] = [];
  #end: { error?: unknown } | null = null;
  #wake: (() => void) | null = null;

  push(value: T): void {
    if (this.#end) return;
    this.#values.push(value);
    this.#wake?.();
  }

  /** There will be no more values; with an error, the reader gets it after the last one. */
  end(end: { error?: unknown } = {}): void {
    this.#end ??= end;
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    for (;;) {
      if (this.#values.length > 0) return { done: false, value: this.#values.shift() as T };
      if (this.#end) {
        const { error } = this.#end;
        this.#end = {};
        if (error !== undefined) throw error;
        return { done: true, value: undefined };
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
