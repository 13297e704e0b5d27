import { unquoted } from '../quotes.ts';

/** Literal text to work with, or the result of the call before. */
type Content = { literal: string } | 'previousResult';

const backReference =
  /^(?:it|that|this|them|(?:the|its) (?:results?|answer|output|contents?|text)|它|结果|答案|内容|它的内容|其内容|这个结果|该结果)$/i;

const toBeComposed =
  /^(?:an?|some|the|my|your|about)\s|^(?:一首|一篇|一个|一段|一封|一些|关于)|^(?:code|something|anything)$|的(?:全部)?内容$|前.{1,8}行$/i;

/**
 * The content that a phrase gives, or null when a writer would have to think it up ("a poem about rain"), which
 * the demo cannot. Quotation marks make any text literal.
 */
export function asContent(phrase: string): Content | null {
  const text = phrase.trim();
  const quoted = unquoted(text);
  if (quoted !== null) return { literal: quoted };
  if (backReference.test(text)) return 'previousResult';
  return text === '' || toBeComposed.test(text) ? null : { literal: text };
}
