import type { MemoryAuthor } from '../../protocol/ports.ts';

/** The origin of a line. */
export interface LineSource {
  from: MemoryAuthor;
  /** The run that wrote it, where the file says so. */
  run: string | null;
}

const entryMark = /^<!-- (\S+:\S+) -->$/;
const runAtEnd = / \((run_\w+)\)$/;
const untrustedLine = /^\s*(?:[-*+]\s+)?\(untrusted\) /;

const byOwner: LineSource = { from: 'owner', run: null };

/**
 * The origin of each line of a memory file. Entries of agents begin with a comment that holds their key, and end at the
 * next blank line or heading. A line that names its run or has the untrusted mark keeps its origin wherever a person
 * moves it. A person wrote all other lines.
 */
export function sourcesOf(lines: readonly string[]): LineSource[] {
  let entry: LineSource | null = null;
  return lines.map((line) => {
    const key = entryMark.exec(line)?.[1];
    if (key !== undefined)
      entry = { from: 'agent', run: key.startsWith('run_') ? (key.split(':', 1)[0] ?? null) : null };
    else if (line.trim() === '' || line.startsWith('#')) entry = null;
    const run = runAtEnd.exec(line)?.[1] ?? entry?.run ?? null;
    if (untrustedLine.test(line)) return { from: 'untrusted', run };
    if (entry) return { ...entry, run };
    return run === null ? byOwner : { from: 'agent', run };
  });
}

/** The least trusted author of several lines. */
export function minTrusted(sources: readonly Pick<LineSource, 'from'>[]): MemoryAuthor {
  if (sources.some(({ from }) => from === 'untrusted')) return 'untrusted';
  return sources.some(({ from }) => from === 'agent') ? 'agent' : 'owner';
}
