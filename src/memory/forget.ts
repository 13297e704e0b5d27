import { linesOf } from './markdown/blocks.ts';
import { sourcesOf } from './markdown/provenance.ts';

/** What is to be forgotten: lines of a file (both ends count), or all that a run wrote. */
export type Forgetting = { path: string; from: number; to: number } | { run: string };

/** A text without what is to be forgotten, and the lines that were taken out of it. */
export function withoutLines(text: string, forgetting: Forgetting): { text: string; lines: string[] } {
  const lines = linesOf(text);
  const sources = sourcesOf(lines);
  const isForgotten = (i: number) =>
    'run' in forgetting
      ? sources[i]?.run === forgetting.run
      : i + 1 >= forgetting.from && i + 1 <= forgetting.to;
  const gone = lines.filter((_, i) => isForgotten(i));
  // With their ends, so that all others stay as they are to the last byte.
  const rest = text.split(text.includes('\n') ? /(?<=\n)/ : /(?<=\r)/).filter((_, i) => !isForgotten(i));
  return { text: rest.join(''), lines: gone };
}
