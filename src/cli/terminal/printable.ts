// Escape sequences, and marks that turn the direction of text, can make a terminal show other words than there are.
const controls = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Text from models, tools and servers, with everything spelled out that a terminal would obey. */
export function printable(text: string): string {
  return text.replaceAll(controls, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
