import { createInterface } from 'node:readline/promises';
import { createDetent, type Detent, DetentError } from '../index.ts';
import { randomId } from '../protocol/ids.ts';
import { loadOptions } from './config-file.ts';
import { driveRun } from './drive.ts';
import { exit } from './exit-codes.ts';
import { say } from './output.ts';
import { parse, text } from './parse.ts';
import { runFlags, runRequest } from './run-options.ts';

/** `detent chat`: one session, a run for every line; at the end of input it leaves with 0. */
export async function chatCommand(args: readonly string[]): Promise<number> {
  const { flags } = parse(args, runFlags, 0);
  const request = runRequest(flags);
  const session = text(flags, 'session') ?? randomId('chat');
  const interactive = process.stdin.isTTY === true;
  const detent = createDetent(await loadOptions(flags));
  const terminal = createInterface({
    input: process.stdin,
    ...(interactive && { output: process.stderr, prompt: '> ' }),
  });
  try {
    if (interactive) say(`Detent chat, session ${session}. Write a message; Ctrl-D leaves.`);
    await detent.runs.resume({ session });
    if (interactive) terminal.prompt();
    for await (const line of terminal) {
      if (line.trim() !== '') {
        terminal.pause();
        await answer(detent, line, { ...request, session }, interactive);
      }
      if (interactive) terminal.prompt();
    }
    return exit.ok;
  } finally {
    terminal.close();
    await detent.close();
  }
}

/** A line for a run that waits for a decision is an answer to it: it withdraws the question. */
async function answer(
  detent: Detent,
  line: string,
  request: Parameters<Detent['run']>[1] & { session: string },
  interactive: boolean,
): Promise<void> {
  const [last] = await detent.runs.list({ session: request.session, limit: 1 });
  const mode = last?.status === 'waiting' ? 'steer' : 'queue';
  try {
    const handle = detent.run(line, { ...request, mode });
    await driveRun(detent, handle, { format: 'text', quiet: !interactive, interactive });
  } catch (error) {
    // One bad line must not end the conversation; what makes every line bad must.
    if (!DetentError.is(error) || error.code !== 'PROMPT_TOO_LARGE') throw error;
    say(`detent: ${error.message}`);
  }
}
