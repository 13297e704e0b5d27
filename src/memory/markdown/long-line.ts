import { sizeOf } from './size.ts';

/** An end of a sentence. `.!?;` match only the last of several marks: matching them all would be quadratic. */
const sentenceEnd = /[。！？；…]+|[.!?;](?=\s)/gu;
/** Maximum characters of a piece without sentence ends (base64, a table without spaces). */
const maxChars = 160;

/** Cuts a line into pieces whose concatenation is the line, at ends of sentences where it has some. */
export function piecesOfLine(line: string, minTokens: number): string[] {
  const pieces: string[] = [];
  let current = '';
  for (const sentence of sentencesOf(line)) {
    current += sentence;
    if (sizeOf(current) < minTokens) continue;
    pieces.push(current);
    current = '';
  }
  if (current !== '') pieces.push(current);
  return pieces;
}

function* sentencesOf(line: string): Generator<string> {
  let from = 0;
  for (const { index, 0: marks } of line.matchAll(sentenceEnd)) {
    const end = index + marks.length;
    yield* cut(line.slice(from, end));
    from = end;
  }
  yield* cut(line.slice(from));
}

function* cut(text: string): Generator<string> {
  let rest = text;
  while (rest.length > maxChars) {
    const space = rest.lastIndexOf(' ', maxChars);
    let at = space > maxChars / 2 ? space + 1 : maxChars;
    // Never cut inside a surrogate pair.
    if (/[\ud800-\udbff]/.test(rest[at - 1] ?? '')) at--;
    yield rest.slice(0, at);
    rest = rest.slice(at);
  }
  if (rest !== '') yield rest;
}
