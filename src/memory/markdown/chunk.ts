import { type Block, blocksOf } from './blocks.ts';
import { piecesOfLine } from './long-line.ts';
import { sizeOf } from './size.ts';

/** A piece of a file: the unit of index and search. */
export interface Chunk {
  /** The headings above it, from the outermost. */
  heading: readonly string[];
  /** Lines count from 1; `end` is the last one. */
  start: number;
  end: number;
  /** Exactly these lines, except that a very long line may be spread over several chunks. */
  text: string;
}

/** The version of the chunking. Change it whenever {@link chunksOf} gives other results. */
export const chunking = 'blocks-400-80/2';

const targetTokens = 400;
const overlapTokens = 80;
/** A heading begins a new chunk, unless the chunk before it would have fewer tokens. */
const minTokens = 100;
/** Size of the parts of a long line: small enough to fit into an overlap. */
const partTokens = overlapTokens / 2;

/** A part of the text from `from` to `to`, on the lines `start` to `end`. */
interface Piece {
  from: number;
  to: number;
  start: number;
  end: number;
  tokens: number;
  isHeading: boolean;
  /** The headings above it; for a heading including itself. */
  path: readonly string[];
}

/**
 * Cuts Markdown into chunks of about 400 tokens. Chunks begin at headings that are far enough apart, keep blocks whole if
 * they fit, and repeat the last 80 tokens of the previous chunk. Every line that is not blank is in a chunk.
 */
export function chunksOf(lines: readonly string[]): Chunk[] {
  const text = lines.join('\n');
  const chunks: Chunk[] = [];
  let current: Piece[] = [];
  let tokens = 0;
  let isNew = false;
  const emit = () => {
    const [first, last] = [current[0], current.at(-1)];
    if (!isNew || !first || !last) return;
    const { path: heading } = current.find((piece) => !piece.isHeading) ?? last;
    chunks.push({ heading, start: first.start, end: last.end, text: text.slice(first.from, last.to) });
  };
  const begin = (pieces: Piece[]) => {
    emit();
    current = pieces;
    tokens = pieces.reduce((sum, piece) => sum + piece.tokens, 0);
    isNew = false;
  };
  for (const piece of piecesOf(lines)) {
    if (piece.isHeading && tokens >= minTokens) begin([]);
    else if (isNew && tokens + piece.tokens > targetTokens) begin(overlapOf(current, piece));
    current.push(piece);
    tokens += piece.tokens;
    isNew = true;
  }
  emit();
  return chunks;
}

/** The pieces of this chunk that the next one repeats. */
function overlapOf(current: readonly Piece[], next: Piece): Piece[] {
  let tokens = 0;
  let first = current.length;
  for (const [i, piece] of [...current.entries()].toReversed()) {
    tokens += piece.tokens;
    const isTooMuch = tokens > overlapTokens || tokens + next.tokens > targetTokens;
    if (isTooMuch || piece.isHeading || i === 0) break;
    first = i;
  }
  return current.slice(first);
}

function* piecesOf(lines: readonly string[]): Generator<Piece> {
  const offsets = [0];
  for (const line of lines) offsets.push((offsets.at(-1) ?? 0) + line.length + 1);
  const above: Block[] = [];
  for (const block of blocksOf(lines)) {
    const isHeading = block.kind === 'heading';
    if (isHeading) {
      while ((above.at(-1)?.level ?? 0) >= block.level) above.pop();
      above.push(block);
    }
    const path = above.map(({ title }) => title).filter((title) => title !== '');
    yield* split(lines, offsets, block, { isHeading, path });
  }
}

/** Splits a large block into its lines, and a long line into its sentences. */
function* split(
  lines: readonly string[],
  offsets: readonly number[],
  { start, end }: Block,
  place: Pick<Piece, 'isHeading' | 'path'>,
): Generator<Piece> {
  const pieceOf = (first: number, last: number): Piece => {
    const text = lines.slice(first - 1, last).join('\n');
    const from = offsets[first - 1] ?? 0;
    const to = from + text.length;
    return { from, to, start: first, end: last, tokens: sizeOf(text), ...place };
  };
  const whole = pieceOf(start, end);
  if (whole.tokens <= targetTokens) {
    yield whole;
    return;
  }
  for (let at = start; at <= end; at++) {
    const line = pieceOf(at, at);
    if (line.tokens <= targetTokens) {
      yield line;
      continue;
    }
    let { from } = line;
    for (const part of piecesOfLine(lines[at - 1] ?? '', partTokens)) {
      const to = from + part.length;
      yield { ...line, from, to, tokens: sizeOf(part) };
      from = to;
    }
  }
}
