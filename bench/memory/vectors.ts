/** Vectors for measuring, always the same: made around centres, as those of texts lie around their subjects. */
export interface TestVectors {
  dims: number;
  count: number;
  /** All of them, one after the other, each of length 1. */
  flat: Float32Array;
  queries: Float32Array[];
}

const perCentre = 100;
/** Of what is added to a centre, beside that of the centre. */
const spread = 0.8;

export function testVectors(count: number, dims: number, queries: number): TestVectors {
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 31 - 1;
  };
  const randomVector = () => Float32Array.from({ length: dims }, random);
  const centres = Array.from({ length: Math.ceil(count / perCentre) }, randomVector);
  const near = (n: number) => {
    const centre = centres[n % centres.length] ?? new Float32Array(dims);
    const vector = randomVector().map((value, i) => (centre[i] ?? 0) + spread * value);
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  };
  const flat = new Float32Array(count * dims);
  for (let row = 0; row < count; row++) flat.set(near(row), row * dims);
  return { dims, count, flat, queries: Array.from({ length: queries }, (_, n) => near(n * 7)) };
}

/** The rows of the nearest, with sums of 64 bits: what every scan is compared with. */
export function exactNearest(
  { flat, dims, count }: TestVectors,
  query: Float32Array,
  limit: number,
): number[] {
  const products = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    let sum = 0;
    for (let i = 0; i < dims; i++) sum += (flat[row * dims + i] as number) * (query[i] as number);
    products[row] = sum;
  }
  const rows = Array.from(products.keys());
  return rows.sort((a, b) => (products[b] as number) - (products[a] as number)).slice(0, limit);
}
