import { createKernel, type DotKernel, newMemory } from './kernel.ts';

/** Standard deviations from the mean. */
const clearlyOut = 6;
const pageBytes = 65_536;
/** Rows per call of the kernel. */
const blockRows = 4_096;

/** Vectors of one length, side by side in the memory of a kernel, to be compared with one. */
export class VectorMatrix {
  readonly dims: number;
  readonly #memory = newMemory();
  readonly #kernel: DotKernel | null;
  /** Of a row, filled up with zeros to what the kernel takes at once. */
  readonly #stride: number;
  readonly #hashes: string[] = [];
  #floats = new Float32Array();

  /** @param isPlain compares in plain JavaScript, the fallback without WebAssembly SIMD. */
  constructor(dims: number, isPlain = false) {
    this.dims = dims;
    this.#stride = Math.ceil(dims / 8) * 8;
    this.#kernel = isPlain ? null : createKernel(this.#memory);
  }

  get size(): number {
    return this.#hashes.length;
  }

  /** @param hash of the text that it stands for. */
  add(hash: string, vector: Float32Array): void {
    const at = this.#rowsAt + this.#hashes.length * this.#stride;
    this.#grow((at + this.#stride) * 4);
    this.#floats.set(vector, at);
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
    const best: { at: number; cosine: number }[] = [];
    let least = Number.NEGATIVE_INFINITY;
    let sum = 0;
    let squares = 0;
    const count = this.#hashes.length;
    if (count > 0) this.#floats.set(query, 0);
    for (let from = 0; from < count; from += blockRows) {
      const rows = Math.min(blockRows, count - from);
      const products = this.#products(from, rows);
      // By number: an iterator would take as long as the kernel.
      for (let i = 0; i < rows; i++) {
        const cosine = products[i] as number;
        sum += cosine;
        squares += cosine * cosine;
        if (best.length === limit && cosine <= least) continue;
        let place = best.length;
        while (place > 0 && (best[place - 1]?.cosine ?? 0) < cosine) place--;
        best.splice(place, 0, { at: from + i, cosine });
        if (best.length > limit) best.pop();
        least = best.at(-1)?.cosine ?? least;
      }
    }
    const mean = sum / count;
    return { best, mean, deviation: Math.sqrt(Math.max(0, squares / count - mean * mean)) };
  }

  /** Of so many rows with the query, which stands at the beginning of the memory; the products follow it. */
  #products(from: number, rows: number): Float32Array {
    const products = this.#floats.subarray(this.#stride, this.#stride + rows);
    const values = this.#rowsAt + from * this.#stride;
    if (this.#kernel) this.#kernel(values * 4, 0, rows, this.#stride * 4, this.#stride * 4);
    else for (let row = 0; row < rows; row++) products[row] = this.#dot(values + row * this.#stride);
    return products;
  }

  /**
   * Four sums at once: one alone waits for itself at every step. The casts are for the compiler; a default for numbers that
   * are surely there would make it many times slower.
   */
  #dot(from: number): number {
    const floats = this.#floats;
    const stride = this.#stride;
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let i = 0; i < stride; i += 4) {
      const at = from + i;
      a += (floats[at] as number) * (floats[i] as number);
      b += (floats[at + 1] as number) * (floats[i + 1] as number);
      c += (floats[at + 2] as number) * (floats[i + 2] as number);
      d += (floats[at + 3] as number) * (floats[i + 3] as number);
    }
    return a + b + c + d;
  }

  /** Index of the first row's first number: behind the query and the products. */
  get #rowsAt(): number {
    return this.#stride + blockRows;
  }

  #grow(bytes: number): void {
    const has = this.#memory.buffer.byteLength;
    if (bytes > has) this.#memory.grow(Math.ceil((Math.max(bytes, has * 1.5) - has) / pageBytes));
    if (this.#floats.buffer !== this.#memory.buffer) this.#floats = new Float32Array(this.#memory.buffer);
  }
}
