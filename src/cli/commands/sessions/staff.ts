import { withPort } from '../../drive/with-detent.ts';
import { type Flags, text, usage, word } from '../../settings/flags.ts';
import { exit, exitCodeOfRun } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { namedSession } from './show.ts';

/** `detent sessions takeover K`. */
export async function takeOverSession(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const { key: sessionId, options } = await namedSession(words, flags, io);
  const reason = text(flags, 'reason');
  const asked = { sessionId, ...(reason !== undefined && { reason }) };
  const taken = await withPort(options, ({ ask }) => ask('session.takeover', asked));
  if (flags.json) io.json({ sessionId, ...taken });
  else
    io.out(
      `taken over by ${taken.by}, in ${taken.runId}; the agent is silent until: detent sessions give-back\n`,
    );
  return exit.ok;
}

/** `detent sessions say K WORDS…`. */
export async function sayInSession(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const { key: sessionId, options } = await namedSession(words, flags, io);
  const content = words.slice(1).join(' ').trim();
  if (content === '') throw usage('give the message for the user, after the key of the session');
  const { runId } = await withPort(options, ({ ask }) => ask('session.say', { sessionId, content }));
  if (flags.json) io.json({ sessionId, runId });
  else io.out(`said in ${runId}\n`);
  return exit.ok;
}

/** `detent sessions give-back K`. The answer of the agent is waited for: it would end with this process. */
export async function giveSessionBack(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const { key: sessionId, options } = await namedSession(words, flags, io);
  return withPort(options, async ({ ask, attach }) => {
    const { runId } = await ask('session.giveBack', { sessionId });
    const done = runId === null ? null : await attach(runId).result;
    if (flags.json) io.json({ sessionId, runId, ...(done && { status: done.status, text: done.text }) });
    else if (done === null) io.out('given back; the agent waits for the user\n');
    else io.out(`given back; the agent answered in ${runId}: ${done.text}\n`);
    return done === null ? exit.ok : exitCodeOfRun(done);
  });
}

/** `detent sessions rate K RUN --up|--down`. */
export async function rateAnswer(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const { key: sessionId, options } = await namedSession(words, flags, io);
  const runId = word(words, 1, 'RUN');
  if ((flags.up === true) === (flags.down === true)) throw usage('rate the answer with --up or with --down');
  const reason = text(flags, 'reason');
  const thumb = flags.up === true ? ('up' as const) : ('down' as const);
  const asked = { sessionId, runId, thumb, ...(reason !== undefined && { reason }) };
  const rated = await withPort(options, ({ ask }) => ask('session.rate', asked));
  if (flags.json) io.json({ sessionId, ...rated });
  else io.out(`rated ${thumb}: the answer at seq ${rated.messageSeq} of ${runId}\n`);
  return exit.ok;
}
