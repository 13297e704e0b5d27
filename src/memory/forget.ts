import { linesOf } from './markdown/blocks.ts';
import { sourcesOf } from './markdown/provenance.ts';

/** What to delete: lines of a file (both ends included), or all lines that a run wrote. */
export type Forgetting = { path: string; from: number; to: number } | { run: string };

/** The text without the forgotten lines, and these lines. */
export function withoutLines(text: string, forgetting: Forgetting): { text: string; lines: string[] } {
  const lines = linesOf(text);
  const sources = sourcesOf(lines);
  const isForgotten = (i: number) =>
    'run' in forgetting
      ? sources[i]?.run === forgetting.run
      : i + 1 >= forgetting.from && i + 1 <= forgetting.to;
  const gone = lines.filter((_, i) => isForgotten(i));
  // Keep the line ends, so that all other lines stay the same to the last byte.
  const rest = text.split(text.includes('\n') ? /(?<=\n)/ : /(?<=\r)/).filter((_, i) => !isForgotten(i));
  return { text: rest.join(''), lines: gone };
}
