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
