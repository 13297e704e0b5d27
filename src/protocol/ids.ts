const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const length = 16;

/** A random id of 80 bits: `run_3f8k…`, in Crockford's base 32 (https://www.crockford.com/base32.html). */
export function randomId(prefix: string): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(length));
  return `${prefix}_${Array.from(bytes, (byte) => alphabet[byte & 31]).join('')}`;
}
