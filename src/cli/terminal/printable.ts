// Escape sequences and bidirectional marks can make a terminal show text other than the real one.
const controls = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Makes text from models, tools and servers safe for a terminal: escapes control characters. */
export function printable(text: string): string {
  return text.replaceAll(controls, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
