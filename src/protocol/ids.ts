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
