import { acting, escaped } from './printable.ts';

// A module of its own, because making the sets of all emoji takes 3 ms of a start.
// `Cs` is half a surrogate pair; `DI` is all that Unicode calls ignorable, and a terminal draws as nothing.
const invisible = new RegExp(String.raw`\p{RGI_Emoji}|[${acting}\p{DI}\p{Cs}]`, 'gv');
const isEmoji = /^\p{RGI_Emoji}$/v;

/**
 * As `printable`, and each character that a terminal draws as nothing becomes visible, too: for text on which a person
 * decides. Emoji stay whole.
 */
export function unhidden(text: string): string {
  return text.replaceAll(invisible, (found) =>
    found === '\n' || found === '\t' || isEmoji.test(found) ? found : escaped(found),
  );
}
