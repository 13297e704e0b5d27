// What makes a terminal act, or show a text in another order than it has: C0, DEL and C1, the marks of bidirectional
// text, line and paragraph separators, and annotation marks.
const acting = String.raw`\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb`;
// They spell invisible text. Their only use is the flag of a region, behind a black flag.
const tags = String.raw`\u{e0000}-\u{e007f}`;
const flag = String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}`;

const controls = new RegExp(String.raw`\r\n|${flag}|[${acting}${tags}]`, 'gu');
const notInJson = new RegExp(`[${acting}${tags}]`, 'gu');
// What may be the beginning of a line end, a surrogate pair or a flag.
const unfinished = /(?:\r|[\ud800-\udbff]|\ud83c\udff4(?:\udb40(?:[\udc30-\udc7a]\udb40?)?)*)$/;

/**
 * Makes foreign text safe for a terminal: control characters, bidirectional marks and hidden tags become visible
 * escapes such as `\u001b`. Line ends, tabs and what scripts and emoji need (joiners, variation selectors) stay.
 *
 * A text may pass through it again: escapes are plain characters.
 */
export function printable(text: string): string {
  return text.replaceAll(controls, (found) => {
    if (found === '\r\n') return '\n';
    return found === '\n' || found === '\t' || found.startsWith('\u{1f3f4}') ? found : escaped(found);
  });
}

/** JSON that means the same, with all that {@link printable} escapes as escapes of JSON: for a terminal and for programs. */
export function printableJson(json: string): string {
  return json.replaceAll(notInJson, (found) =>
    found === '\n' || found === '\t' ? found : found.split('').map(escaped).join(''),
  );
}

/** Holds back the end of a piece of streamed text until the next piece shows what it is the beginning of. */
export class TextPieces {
  #held = '';

  /** Returns the text so far that can be judged. */
  push(piece: string): string {
    const text = this.#held + piece;
    this.#held = unfinished.exec(text)?.[0] ?? '';
    return text.slice(0, text.length - this.#held.length);
  }

  /** Returns what is held back, when no other piece comes. */
  end(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}

/** The escape of a character that a reader sees. */
function escaped(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}

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
