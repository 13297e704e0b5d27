/**
 * Dot products of many vectors with one, in WebAssembly with 128-bit SIMD. This file assembles the module from its
 * instructions, so there is no build step and no binary.
 *
 * @see https://webassembly.github.io/spec/core/binary/
 * @module
 */

/**
 * Writes the product of each row with the query as a 32-bit float.
 *
 * @param values address of the first row; rows follow each other
 * @param query address of the query
 * @param rows how many, at least one
 * @param rowBytes of a row, and of the query: a multiple of 32
 * @param products address for the products
 */
export type DotKernel = (
  values: number,
  query: number,
  rows: number,
  rowBytes: number,
  products: number,
) => void;

/** The part of the WebAssembly types that is used here; TypeScript has them only in the browser's library. */
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  /** By pages of 64 KB. */
  grow(pages: number): number;
}
declare const WebAssembly: {
  Memory: new (size: { initial: number }) => WasmMemory;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: Record<string, unknown> };
};

/** Memory of one page, for a kernel. */
export function newMemory(): WasmMemory {
  return new WebAssembly.Memory({ initial: 1 });
}

/** The kernel on a memory; null where there is no WebAssembly with SIMD. */
export function createKernel(memory: WasmMemory): DotKernel | null {
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes()), { env: { memory } });
    return exports.dots as DotKernel;
  } catch {
    return null;
  }
}

const i32 = 0x7f;
const v128 = 0x7b;
const end = 0x0b;

const [values, query, rows, rowBytes, products, rowEnd, at, even, odd] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;

const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const tee = (local: number) => [0x22, local];
/** Less than 64. */
const constant = (value: number) => [0x41, value];
const add = 0x6a;
const subtract = 0x6b;
const isBelow = 0x49;
const loop = (...body: number[]) => [0x03, 0x40, ...body, end];
/** The innermost loop begins again, if the value on the stack is not zero. */
const again = [0x0d, 0];
const load = (offset: number) => [0xfd, 0x00, 4, offset];
const zeros = [0xfd, 0x0c, ...Array<number>(16).fill(0)];
const multiply4 = [0xfd, 0xe6, 0x01];
const add4 = [0xfd, 0xe4, 0x01];
const lane = (n: number) => [0xfd, 0x1f, n];
const addFloat = 0x92;
const storeFloat = [0x38, 2, 0];

/** `sum += values[offset…] * query[offset…]`, four numbers at once. */
const sumUp = (sum: number, offset: number) => [
  ...get(sum),
  ...get(values),
  ...load(offset),
  ...get(at),
  ...load(offset),
  ...multiply4,
  ...add4,
  ...set(sum),
];
const step = (local: number, by: number) => [...get(local), ...constant(by), add, ...set(local)];

const body = loop(
  ...[...zeros, ...set(even), ...zeros, ...set(odd)],
  ...[...get(query), ...set(at)],
  ...[...get(values), ...get(rowBytes), add, ...set(rowEnd)],
  // Two sums, so that neither waits for itself.
  ...loop(
    ...sumUp(even, 0),
    ...sumUp(odd, 16),
    ...step(values, 32),
    ...step(at, 32),
    ...[...get(values), ...get(rowEnd), isBelow, ...again],
  ),
  ...[...get(products), ...get(even), ...get(odd), ...add4, ...tee(even), ...lane(0)],
  ...[1, 2, 3].flatMap((n) => [...get(even), ...lane(n), addFloat]),
  ...storeFloat,
  ...step(products, 4),
  ...[...get(rows), ...constant(1), subtract, ...tee(rows), ...again],
);

function moduleBytes(): Uint8Array<ArrayBuffer> {
  const locals = [2, 2, i32, 2, v128];
  const code = [...locals, ...body, end];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 5, i32, i32, i32, i32, i32, 0]),
    ...section(2, [1, ...text('env'), ...text('memory'), 0x02, 0x00, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...text('dots'), 0x00, 0]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ]);
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

function text(name: string): number[] {
  return [name.length, ...Buffer.from(name)];
}

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...unsigned(Math.floor(value / 128))];
}
