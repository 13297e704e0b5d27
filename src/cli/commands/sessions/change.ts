import type { CompactedSession, GrantView } from '../../../index.ts';
import { counted, isoTime } from '../../../text/wording.ts';
import { readingPort, withDetent, withPort } from '../../drive/with-detent.ts';
import { type Flags, text, wholeNumber } from '../../settings/flags.ts';
import { isSureToDelete } from '../../terminal/ask-yes.ts';
import { exit, exitCodeOfRun } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { tracesLeft } from '../traces.ts';
import { namedSession } from './show.ts';

/** `detent sessions clear K`. */
export async function clearSession(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const { key, options } = await namedSession(words, flags, io);
  const force = flags.force === true;
  const { cleared } = await withPort(options, ({ ask }) => ask('session.clear', { sessionId: key, force }));
  if (flags.json) io.json({ sessionId: key, cleared });
  else io.out(`cleared: ${counted(cleared, 'message')}; models no longer see them\n`);
  return exit.ok;
}

/** `detent sessions compact K`. */
export async function compactSession(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const { key, options } = await namedSession(words, flags, io);
  const model = text(flags, 'model');
  const done = await withDetent(options, async (detent) => {
    // Runs that an earlier process left in this session come first in its lane.
    await detent.runs.resume({ sessionId: key });
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
  if (outcome === null) return `${status}: an earlier run of the session must end first (run ${runId})`;
  if (error?.code === 'SUMMARY_REJECTED')
    return `nothing was compacted, because the summary was rejected: ${error.message} (run ${runId})`;
  if (error) return `${runId} ${outcome}: ${error.message}`;
  if (nothing) return `nothing to compact: about ${before} tokens`;
  const written = flushed && lines[flushed.how](flushed.lines);
  const isSmaller = before !== null && after !== null && after < before;
  const why = isSmaller ? '' : '; not smaller, because the newest messages stay whole';
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
      ? 'nothing worth keeping'
      : `${counted(count, 'line')} of your words to the memory file of the day`,
};

/** `detent sessions delete K`. */
export async function deleteSession(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const { key, options } = await namedSession(words, flags, io);
  const question = async () => {
    const { runs, messages } = await readingPort(options, ({ ask }) =>
      ask('session.get', { sessionId: key }),
    );
    const what = `${counted(runs, 'run')} and ${counted(messages, 'message')}`;
    return `Delete session "${key}" for good, with ${what}?`;
  };
  if (!flags.yes && !(await isSureToDelete(question, io))) return exit.cancelled;
  const force = flags.force === true;
  const deleted = await withPort(options, ({ ask }) => ask('session.delete', { sessionId: key, force }));
  if (flags.json) io.json({ sessionId: key, ...deleted });
  else io.out(`deleted: ${counted(deleted.runs, 'run')}, ${counted(deleted.messages, 'message')}\n`);
  if (!deleted.erased) io.say(tracesLeft(options, ' until that process closes it'));
  return exit.ok;
}

/** `detent sessions grants K`. */
export async function sessionGrants(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const revoke = wholeNumber(flags, 'revoke', 1);
  const { key, options } = await namedSession(words, flags, io);
  if (revoke !== undefined) {
    await withPort(options, ({ ask }) => ask('grant.revoke', { sessionId: key, grant: revoke }));
    if (flags.json) io.json({ sessionId: key, revoked: revoke });
    else io.out(`revoked: grant ${revoke}\n`);
    return exit.ok;
  }
  const { grants } = await readingPort(options, ({ ask }) => ask('grant.list', { sessionId: key }));
  if (flags.json) io.json(grants);
  else if (grants.length === 0) io.say(`session "${key}" has no grants`);
  else for (const grant of grants) io.out(`${describeGrant(grant)}\n`);
  return exit.ok;
}

function describeGrant({ n, tool, pattern, by, at, runId, callId }: GrantView): string {
  const who = by === null ? '' : `, by ${by}`;
  return `${n}  ${tool} ${JSON.stringify(pattern)}  ${isoTime(at)}, with ${callId} of ${runId}${who}`;
}
