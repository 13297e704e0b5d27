import { createInterface } from 'node:readline';
import { type Detent, DetentError } from '../index.ts';
import type { RunRequest } from '../options.ts';
import { randomId } from '../protocol/ids.ts';
import { type DriveOptions, driveRun } from './drive.ts';
import { exit } from './exit-codes.ts';
import { type Flags, text } from './flags.ts';
import { loadOptions } from './load-options.ts';
import { runRequest } from './run-options.ts';
import { complain, say } from './say.ts';
import { checkModel, warnOfUnknownTools, withDetent } from './session.ts';
import { isAttended, Terminal } from './terminal.ts';

/** `detent chat`: one session, a run for every line; at the end of input it leaves with 0. */
export async function chatCommand(_: readonly string[], flags: Flags): Promise<number> {
  const request = { ...runRequest(flags), session: text(flags, 'session') ?? randomId('chat') };
  const options = await loadOptions(flags);
  const model = await checkModel(options, request);
  const interactive = isAttended();
  const output = {
    format: 'text',
    quiet: !interactive,
    interactive: interactive && (request.approve ?? options.policy?.approve ?? 'ask') === 'ask',
  } as const;
  return withDetent(options, async (detent) => {
    await warnOfUnknownTools(detent, request);
    if (interactive)
      say(`Detent chat with ${model}, session ${request.session}. Ctrl-C stops an answer, Ctrl-D leaves.`);
    // What an earlier chat left unfinished is finished first, in view.
    const since = Date.now();
    for (const runId of await detent.runs.resume({ session: request.session })) {
      const before = await detent.runs.show(runId);
      await driveRun(detent, detent.runs.attach(runId), { ...output, since, before });
    }
    for await (const line of interactive ? typedLines() : readLines())
      if (line.trim() !== '') await answer(detent, line, request, output);
    return exit.ok;
  });
}

/** Ctrl-C clears the line; on an empty one, pressed twice, it leaves. */
async function* typedLines(): AsyncGenerator<string> {
  const terminal = new Terminal();
  let isLeaving = false;
  for (;;) {
    const said = await terminal.ask('> ');
    if ('line' in said) {
      isLeaving = false;
      yield said.line;
      continue;
    }
    if (said.end === 'left') return;
    if (said.hadWords) continue;
    if (isLeaving) return;
    isLeaving = true;
    say('(Ctrl-C once more, or Ctrl-D, leaves)');
  }
}

function readLines(): AsyncIterable<string> {
  return createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
}

/** A line for a run that waits for a decision is an answer to it: it withdraws the question. */
async function answer(
  detent: Detent,
  line: string,
  request: RunRequest & { session: string },
  output: DriveOptions,
): Promise<void> {
  const [last] = await detent.runs.list({ session: request.session, limit: 1 });
  const mode = last?.status === 'waiting' ? 'steer' : 'queue';
  try {
    const since = Date.now();
    await driveRun(detent, detent.run(line, { ...request, mode }), { ...output, since });
  } catch (error) {
    // One bad line must not end the conversation; what makes every line bad must.
    if (!DetentError.is(error) || error.code !== 'PROMPT_TOO_LARGE') throw error;
    complain(error);
  }
}
