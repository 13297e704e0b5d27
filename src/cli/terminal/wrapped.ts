import { linesOf, mapped, plainText, type Text } from './styled.ts';
import { widthOf } from './text-width.ts';

/**
 * A line of text in lines of at most `width` columns, broken at spaces where there are any, and between ideographs.
 *
 * @param text escaped by `printable`
 * @param longWord what happens to a word that is longer than a line: `keep` leaves it whole, because a person may want to
 * copy it (an address); the terminal breaks it.
 */
export function wrapped(text: Text, width: number, longWord: 'cut' | 'keep'): Text[] {
  const { spaces, places } = breaksOf(plainText(text), width, longWord === 'cut');
  let at = 0;
  const broken = mapped(text, (words) => {
    let lines = '';
    for (const unit of words.split('')) {
      if (places.has(at)) lines += '\n';
      lines += spaces.has(at) ? '\n' : unit;
      at++;
    }
    return lines;
  });
  return linesOf(broken);
}

/** Where lines end: at which spaces, and before which places in a word that is longer than a line. */
function breaksOf(
  text: string,
  width: number,
  cutsWords: boolean,
): { spaces: Set<number>; places: Set<number> } {
  const spaces = new Set<number>();
  const places = new Set<number>();
  let column = 0;
  let space: { at: number; column: number } | null = null;
  for (let i = 0; i < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(i) ?? 0);
    const isWide = widthOf(character) === 2;
    if (
      column > 0 &&
      column + widthOf(character) > width &&
      (space || character === ' ' || isWide || cutsWords)
    ) {
      if (character === ' ') space = { at: i++, column };
      else if (isWide) space = null;
      if (space) spaces.add(space.at);
      else places.add(i);
      column = space ? Math.max(0, column - space.column - 1) : 0;
      space = null;
      continue;
    }
    if (character === ' ') space = { at: i, column };
    column += widthOf(character);
    i += character.length;
  }
  return { spaces, places };
}
