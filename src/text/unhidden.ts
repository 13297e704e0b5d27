import { acting, escaped } from './printable.ts';

interface Patterns {
  invisible: RegExp;
  emoji: RegExp;
}

/** Made with the first text: the sets of all emoji take 15 ms of a start. */
let patterns: Patterns | null = null;

/**
 * As `printable`, and each character that a terminal draws as nothing becomes visible, too: for text on which a person
 * decides. Emoji stay whole.
 */
export function unhidden(text: string): string {
  patterns ??= newPatterns();
  const { invisible, emoji } = patterns;
  return text.replaceAll(invisible, (found) =>
    found === '\n' || found === '\t' || emoji.test(found) ? found : escaped(found),
  );
}

function newPatterns(): Patterns {
  return {
    // `Cs` is half a surrogate pair; `DI` is all that Unicode calls ignorable, and a terminal draws as nothing.
    invisible: new RegExp(String.raw`\p{RGI_Emoji}|[${acting}\p{DI}\p{Cs}]`, 'gv'),
    emoji: /^\p{RGI_Emoji}$/v,
  };
}
