import type { Forked, OpenEffect } from '../../../index.ts';
import { withDetent } from '../../drive/with-detent.ts';
import { type Flags, text, usage, wholeNumber, word } from '../../settings/flags.ts';
import { loadOptions, requireDatabase } from '../../settings/load-options.ts';
import { exit } from '../../terminal/exit-codes.ts';
import type { Io } from '../../terminal/io.ts';
import { printable } from '../../terminal/printable.ts';

/** `detent runs fork RUN --at SEQ`. */
export async function forkRun(words: readonly string[], flags: Flags, io: Io): Promise<number> {
  const runId = word(words, 0, 'RUN');
  const at = wholeNumber(flags, 'at', 0);
  if (at === undefined) throw usage('--at SEQ is missing');
  const model = text(flags, 'model');
  const editMessage = text(flags, 'edit-message');
  const options = await loadOptions(flags, io);
  requireDatabase(options, runId);
  return withDetent(options, async (detent) => {
    const changes = {
      ...(model !== undefined && { model }),
      ...(editMessage !== undefined && { editMessage }),
    };
    const fork = await detent.runs.fork(runId, { at, ...changes });
    const { status } = await detent.runs.show(fork.runId);
    if (flags.json) io.out(`${JSON.stringify({ ...fork, status, from: { runId, seq: at } })}\n`);
    else tellFork(fork, status, io);
    return exit.ok;
  });
}

/** Says what a fork is, what is open in it, and what to type next. */
export function tellFork({ runId, sessionId, open }: Forked, status: string, io: Io): void {
  io.out(`${runId}  ${status}  ${sessionId}\n`);
  if (open.length > 0) io.say('open in it, and started by nobody yet:');
  for (const effect of open) io.say(printable(`  ${describe(effect)}`));
  if (status === 'waiting') io.say(`decide as in the original; see "detent runs show ${runId}"`);
  if (status === 'done' || status === 'failed' || status === 'cancelled')
    io.say(
      `it has ended, as the original had by then; carry on with: detent run --session ${sessionId} "PROMPT"`,
    );
  else io.say(`carry it on with: detent runs resume ${runId}`);
}

const waits: Readonly<Record<OpenEffect['status'], string>> = {
  pending: 'starts on resume',
  held: 'waits for a decision or its turn',
  uncertain: 'waits for a word on what became of it',
};

function describe({ effect, name, status, callId, tool, arguments: given }: OpenEffect): string {
  const what = callId === undefined ? `effect ${effect} ${name}` : `${callId} ${tool}(${given})`;
  return `${what}: ${waits[status]}`;
}
