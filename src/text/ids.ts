const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const length = 16;

/** A random id of 80 bits: `run_3f8k…`, in Crockford's base 32 (https://www.crockford.com/base32.html). */
export function randomId(prefix: string): string {
  return idOf(prefix, randomBytes());
}

/** Node's own function first: Web Crypto takes 3 ms to load, and Detent uses `node:crypto` anyway. */
function randomBytes(): Uint8Array {
  const bytes = new Uint8Array(length);
  const own = globalThis.process?.getBuiltinModule?.('node:crypto');
  return own ? own.randomFillSync(bytes) : globalThis.crypto.getRandomValues(bytes);
}

/** The id that 16 bytes or more give; it keeps five bits of each of the first 16. */
export function idOf(prefix: string, bytes: Uint8Array): string {
  return `${prefix}_${Array.from(bytes.subarray(0, length), (byte) => alphabet[byte & 31]).join('')}`;
}

/** Bytes as hexadecimal digits. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * A 53-bit hash of a text in 11 characters. It detects divergence; it is not cryptographic.
 *
 * Two 32-bit multiplicative lanes, each xor-multiplied per UTF-16 unit and mixed with the finaliser constants of
 * MurmurHash3 (https://github.com/aappleby/smhasher, public domain).
 */
export function shortHash(text: string): string {
  let a = 0x9747b28c;
  let b = 0x3c6ef372;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x85ebca6b);
    b = Math.imul(b ^ unit, 0xc2b2ae35);
  }
  a = Math.imul(a ^ (a >>> 16), 0xc2b2ae35) ^ Math.imul(b ^ (b >>> 13), 0x85ebca6b);
  b = Math.imul(b ^ (b >>> 16), 0xc2b2ae35) ^ Math.imul(a ^ (a >>> 13), 0x85ebca6b);
  return (2 ** 21 * (b >>> 0) + (a >>> 11)).toString(36).padStart(11, '0');
}

/**
 * SHA-256 of bytes, or of the UTF-8 bytes of a text.
 *
 * Node's own where there is one: 16 MB would take the other one half a second.
 */
export function sha256(data: string | Uint8Array): Uint8Array {
  const own = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (own) return own.hash('sha256', data, 'buffer');
  return digest(typeof data === 'string' ? new TextEncoder().encode(data) : data);
}

/** For hosts without Node. @see https://csrc.nist.gov/pubs/fips/180-4/upd1/final, sections 5.1.1 and 6.2 */
export function digest(bytes: Uint8Array): Uint8Array {
  const primes = firstPrimes(64);
  const constants = primes.map((prime) => fractionBits(Math.cbrt(prime)));
  const state = primes.slice(0, 8).map((prime) => fractionBits(Math.sqrt(prime)));
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, bytes.length / 0x20000000);
  view.setUint32(padded.length - 4, bytes.length << 3);
  const words = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 64; i++) words[i] = i < 16 ? view.getInt32(at + i * 4) : expanded(words, i);
    addBlock(state, words, constants);
  }
  const hash = new DataView(new ArrayBuffer(32));
  for (const [i, word] of state.entries()) hash.setInt32(i * 4, word);
  return new Uint8Array(hash.buffer);
}

function addBlock(state: number[], words: Int32Array, constants: readonly number[]): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const one =
      (h + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + choice + (constants[i] ?? 0) + (words[i] ?? 0)) | 0;
    const two = (right(a, 2) ^ right(a, 13) ^ right(a, 22)) + majority;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = ((state[i] ?? 0) + word) | 0;
}

function expanded(words: Int32Array, i: number): number {
  const [near = 0, far = 0] = [words[i - 2], words[i - 15]];
  const one = right(near, 17) ^ right(near, 19) ^ (near >>> 10);
  const two = right(far, 7) ^ right(far, 18) ^ (far >>> 3);
  return (words[i - 16] ?? 0) + two + (words[i - 7] ?? 0) + one;
}

const right = (word: number, by: number) => (word >>> by) | (word << (32 - by));

const fractionBits = (root: number) => ((root - Math.floor(root)) * 2 ** 32) | 0;

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let next = 2; primes.length < count; next++)
    if (primes.every((prime) => next % prime !== 0)) primes.push(next);
  return primes;
}
