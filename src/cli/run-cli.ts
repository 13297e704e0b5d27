import { DetentError, messageOf } from '../protocol/error.ts';
import { version } from '../runtime/config.ts';
import { perform } from './program.ts';
import { exitCodeOfError } from './terminal/exit-codes.ts';
import { createIo, type Host } from './terminal/io.ts';

/** Runs one command line to its end and prints its error, if any; returns the exit code. */
export async function runCli(args: readonly string[], host: Host): Promise<number> {
  const io = createIo(host);
  const [first] = args;
  try {
    if (first === '--version' || first === '-v') {
      io.out(`${version()}\n`);
      return 0;
    }
    return await perform(args, io);
  } catch (error) {
    io.complain(error);
    if (wantsJson(args) && !io.hasWrittenJson()) io.json({ error: errorObject(error) });
    return exitCodeOfError(error);
  }
}

/** Whether --json is among the options: words behind `--` are none. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).includes('--json');
}

/** An error as programs read it, on stdout with --json. */
function errorObject(error: unknown): Record<string, unknown> {
  if (!DetentError.is(error))
    return { code: 'INTERNAL', message: messageOf(error), retryable: false, details: {} };
  const { code, message, retryable, details } = error;
  return { code, message, retryable, details };
}
