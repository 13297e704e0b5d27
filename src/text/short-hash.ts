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
