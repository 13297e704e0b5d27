/** Small deterministic random numbers in [0, 1) (mulberry32), so that a failing cut can be found again by its seed. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Cuts bytes at these positions. */
export function cutAt(bytes: Uint8Array, positions: readonly number[]): Uint8Array[] {
  const ends = [...new Set(positions)].sort((a, b) => a - b).filter((at) => at > 0 && at < bytes.length);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

export function cutAtRandom(bytes: Uint8Array, count: number, seed: number): Uint8Array[] {
  const next = random(seed);
  return cutAt(
    bytes,
    Array.from({ length: count }, () => Math.floor(next() * bytes.length)),
  );
}

export function byteByByte(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
}
