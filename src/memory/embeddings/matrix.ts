/** Standard deviations from the mean. */
const clearlyOut = 6;
const blockRows = 512;

/** Vectors of one length, side by side in blocks, to be compared with one. */
export class VectorMatrix {
  readonly dims: number;
  /** Of a row: a multiple of four, the rest zeros. */
  readonly #stride: number;
  readonly #hashes: string[] = [];
  readonly #blocks: Float32Array[] = [];

  constructor(dims: number) {
    this.dims = dims;
    this.#stride = Math.ceil(dims / 4) * 4;
  }

  get size(): number {
    return this.#hashes.length;
  }

  /** @param hash of the text that it stands for. */
  add(hash: string, vector: Float32Array): void {
    const row = this.#hashes.length % blockRows;
    if (row === 0) this.#blocks.push(new Float32Array(blockRows * this.#stride));
    this.#blocks.at(-1)?.set(vector, row * this.#stride);
    this.#hashes.push(hash);
  }

  /**
   * The nearest rows, best first. The score, from 0 to 1, says how far a cosine is above those of all rows, beyond the
   * expected maximum of that many random ones. Absolute cosines say little: some models give high ones to all texts.
   */
  nearest(query: Float32Array, limit: number): { hash: string; score: number }[] {
    const { best, mean, deviation } = this.#compare(query, limit);
    const n = this.#hashes.length;
    const chance = Math.sqrt(2 * Math.log(Math.max(2, n)));
    // The maximum z-score that one of n numbers can have.
    const most = Math.min(clearlyOut, (n - 1) / Math.sqrt(n));
    // Among a handful of rows no outlier is significant.
    const [low, high] = most > chance + 0.5 ? [chance, most] : [0, Math.max(most, 1)];
    return best.flatMap(({ at, cosine }) => {
      const out = deviation > 0 ? (cosine - mean) / deviation : 0;
      const score = Math.min(1, (out - low) / (high - low));
      return score > 0 ? [{ hash: this.#hashes[at] ?? '', score }] : [];
    });
  }

  #compare(query: Float32Array, limit: number) {
    const padded = new Float32Array(this.#stride);
    padded.set(query);
    const best: { at: number; cosine: number }[] = [];
    let least = Number.NEGATIVE_INFINITY;
    let sum = 0;
    let squares = 0;
    const count = this.#hashes.length;
    for (const [n, block] of this.#blocks.entries()) {
      const first = n * blockRows;
      const rows = Math.min(blockRows, count - first);
      for (let row = 0; row < rows; row++) {
        const cosine = dot(block, row * this.#stride, padded);
        sum += cosine;
        squares += cosine * cosine;
        if (best.length === limit && cosine <= least) continue;
        let place = best.length;
        while (place > 0 && (best[place - 1]?.cosine ?? 0) < cosine) place--;
        best.splice(place, 0, { at: first + row, cosine });
        if (best.length > limit) best.pop();
        least = best.at(-1)?.cosine ?? least;
      }
    }
    const mean = sum / count;
    return { best, mean, deviation: Math.sqrt(Math.max(0, squares / count - mean * mean)) };
  }
}

/**
 * Of the query with the row that begins at `from`. Four sums at once: one alone waits for itself at every step. The casts are
 * for the compiler; a default for numbers that are surely there would make it many times slower.
 */
function dot(values: Float32Array, from: number, query: Float32Array): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let i = 0; i < query.length; i += 4) {
    const at = from + i;
    a += (values[at] as number) * (query[i] as number);
    b += (values[at + 1] as number) * (query[i + 1] as number);
    c += (values[at + 2] as number) * (query[i + 2] as number);
    d += (values[at + 3] as number) * (query[i + 3] as number);
  }
  return a + b + c + d;
}
