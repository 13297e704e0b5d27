import { DetentError } from '../../protocol/error.ts';

/** A rule of the shop forbids it: a result that the model reads, as `CODE: words`. */
export class ShopDenied extends DetentError {}

export function deny(code: string, words: string): never {
  throw new ShopDenied(code, words);
}
