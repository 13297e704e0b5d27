/** Line and column count from 1. */
interface Place {
  line: number;
  column: number;
}

/** A syntax error in a file, with its place where known. */
export class TextFault extends Error {
  readonly place: Place | null;

  constructor(what: string, place: Place | null) {
    super(what);
    this.place = place;
  }
}

/** The place of an offset in a text. */
export function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
