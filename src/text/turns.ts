/** After so long, other work of the process gets its turn. */
const turnMs = 15;

/** Lets other work of the process have its turn during long work. */
export class Turns {
  /** When the last turn began, in milliseconds of the monotonic clock. */
  since: number = performance.now();

  async next(): Promise<void> {
    if (performance.now() - this.since < turnMs) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.since = performance.now();
  }
}
