import type { CompactedSession } from '../../../index.ts';
import { withDetent } from '../../drive/with-detent.ts';
import { type Flags, text } from '../../settings/flags.ts';
import { counted } from '../../terminal/columns.ts';
import { exit, exitCodeOfRun } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { namedSession } from './require-session.ts';

/** `detent sessions compact K`. */
export async function compactSession(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const { key, options } = await namedSession(words, flags, io);
  const model = text(flags, 'model');
  const done = await withDetent(options, async (detent) => {
    // Runs that an earlier process left in this session come first in its lane.
    await detent.runs.resume({ session: key });
    return detent.sessions.compact(key, model === undefined ? {} : { model });
  });
  if (flags.json) io.json(done);
  else printCompaction(done, io);
  return done.outcome === null ? exit.waiting : exitCodeOfRun(done);
}

function printCompaction(done: CompactedSession, io: Io): void {
  const { outcome, error } = done;
  if (outcome === null || error) io.say(`${error ? 'detent: ' : ''}${describeCompaction(done)}`);
  else io.out(`${describeCompaction(done)}\n`);
}

/** What came of a compaction, as text for people. */
export function describeCompaction(done: CompactedSession): string {
  const { runId, status, outcome, error, nothing, flushed, before, after } = done;
  if (outcome === null) return `${status}: an earlier run of the session has to end first (run ${runId})`;
  if (error?.code === 'SUMMARY_REJECTED')
    return `nothing was compacted, because the summary was rejected: ${error.message} (run ${runId})`;
  if (error) return `${runId} ${outcome}: ${error.message}`;
  if (nothing) return `nothing to compact: about ${before} tokens`;
  const written = flushed && lines[flushed.how](flushed.lines);
  const isSmaller = before !== null && after !== null && after < before;
  const why = isSmaller ? '' : '; no smaller, because the newest messages stay whole';
  return [
    `flushed: ${written ?? 'nothing: the memory file could not be written'}`,
    `compacted: about ${before} tokens, now ${after}${why}`,
  ].join('\n');
}

const lines: Readonly<Record<NonNullable<CompactedSession['flushed']>['how'], (count: number) => string>> = {
  model: (count) => `${counted(count, 'line')} to the memory file of the day`,
  extract: (count) => `an extract of ${counted(count, 'line')} to the memory file of the day`,
  nothing: (count) =>
    count === 0
      ? 'nothing that had to be kept'
      : `${counted(count, 'line')} of your words to the memory file of the day`,
};
