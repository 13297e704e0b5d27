/** Values of a producer for one reader, in order. */
export interface Queue<T> {
  push(value: T): void;
  /** There will be no more values; with an error, the reader gets it after the last one. */
  end(end?: { error?: unknown }): void;
  next(): Promise<IteratorResult<T, undefined>>;
}

export function newQueue<T>(): Queue<T> {
  const values: T[] = [];
  let ended: { error?: unknown } | null = null;
  let wake = () => {};
  return {
    push(value) {
      if (!ended) values.push(value);
      wake();
    },
    end(end = {}) {
      ended ??= end;
      wake();
    },
    async next() {
      while (values.length === 0) {
        if (ended) {
          const { error } = ended;
          ended = {};
          if (error !== undefined) throw error;
          return { done: true, value: undefined };
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return { done: false, value: values.shift() as T };
    },
  };
}
