// `Cs` is half a surrogate pair; `DI` is all that Unicode calls ignorable, and a browser draws as nothing.
const hidden = /\p{RGI_Emoji}|[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{DI}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]/gv;
const isEmoji = /^\p{RGI_Emoji}$/v;

/**
 * A text in which characters that a browser draws as nothing, or that make a line read otherwise than its bytes, are written as `\u{202e}`: what a
 * person approves must be what they see. Lines, tabs and emoji stay.
 */
export function visible(text: string): string {
  return text.replaceAll(hidden, (found) =>
    found === '\n' || found === '\t' || isEmoji.test(found)
      ? found
      : `\\u{${found.codePointAt(0)?.toString(16)}}`,
  );
}

/** Who acted, of the log: `reader (token)` for `token:reader`. */
export function visibleActor(by: string): string {
  return visible(by.replace(/^([a-z]+):(.+)$/s, '$2 ($1)'));
}

// Persian and the languages of India write joiners between letters, where Latin and Chinese have no use for them.
const kept =
  /\r(?=\n|$)|(?<=[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Han}]])[\u200c\u200d](?=[\p{L}\p{M}])/v;
const hiddenInProse = new RegExp(`(?<kept>${kept.source})|${hidden.source}`, 'gv');

/**
 * As {@link visible}, for what a person reads but does not approve to the letter: joiners within words stay, and the ends of lines as
 * Windows writes them.
 */
export function visibleProse(text: string): string {
  return text.replaceAll(hiddenInProse, (found, isKept?: string) =>
    isKept === undefined ? visible(found) : found,
  );
}
