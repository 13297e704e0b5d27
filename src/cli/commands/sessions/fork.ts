import { DetentError } from '../../../protocol/error.ts';
import { withDetent } from '../../drive/with-detent.ts';
import { type Flags, text, usage } from '../../settings/flags.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { findAgentRun } from '../runs/find-agent-run.ts';
import { printFork } from '../runs/fork.ts';
import { namedSession } from './require-session.ts';

/** `detent sessions fork K --at RUN:SEQ`. */
export async function forkSession(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const [, named, seq] = /^(.+):(\d{1,15})$/.exec(text(flags, 'at') ?? '') ?? [];
  if (named === undefined) throw usage('--at takes RUN:SEQ, as run_x1:7');
  const session = text(flags, 'session');
  const { key, options } = await namedSession(words, flags, io);
  return withDetent(options, async (detent) => {
    const runId = await findAgentRun(detent, named).catch((error) => {
      // The fork reports a session or a run that does not exist.
      if (DetentError.is(error) && error.code === 'NOT_FOUND') return named;
      throw error;
    });
    const place = { runId, seq: Number(seq), ...(session !== undefined && { session }) };
    const fork = await detent.sessions.fork(key, place);
    const view = await detent.runs.show(fork.runId);
    const { status } = view;
    if (flags.json) io.json({ ...fork, status, from: { runId, seq: Number(seq) } });
    else printFork(fork, view, io);
    return exit.ok;
  });
}
