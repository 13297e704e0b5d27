import { fstatSync } from 'node:fs';
import { isForeignFailure } from '../engine/foreign-code.ts';
import { DetentError, messageOf } from '../protocol/error.ts';
import { version } from '../runtime/config.ts';
import { type CompiledCode, removeUnusedCode } from './compiled-code.ts';
import { perform as performLine } from './program.ts';
import { exit, exitCodeOfError } from './terminal/exit-codes.ts';
import { createIo, type Host } from './terminal/io.ts';

/**
 * Performs the command line of this process, and ends the process.
 *
 * @param compiled where this start keeps compiled code; null for nowhere.
 */
export async function perform(compiled: CompiledCode | null): Promise<void> {
  const output = { isDropped: false };
  const host = hostOfProcess(() => {
    output.isDropped = true;
  });
  surviveBrokenOutput(output);
  reportStrayErrors(host);
  // Ctrl-Z: the signal alone could stop the process inside a transaction, and other processes could not write until it
  // continues. JavaScript hears of it between two transactions.
  if (process.platform !== 'win32') process.on('SIGTSTP', () => process.kill(process.pid, 'SIGSTOP'));

  // Some waits keep no process alive (an unref'd retry timer): the interval does, until the command ends.
  const held = setInterval(() => {}, 2 ** 30);
  process.exitCode = await runCli(process.argv.slice(2), host);
  clearInterval(held);
  await Promise.all([process.stdout, process.stderr].map(written));
  if (compiled) removeUnusedCode(compiled);
  // A cancelled tool that ignores its signal must not keep the process alive.
  process.exit();
}

/** Runs one command line to its end and prints its error, if any; returns the exit code. */
export async function runCli(args: readonly string[], host: Host): Promise<number> {
  const io = createIo(host);
  const [first] = args;
  try {
    if (first === '--version' || first === '-v') {
      io.out(`${version()}\n`);
      return 0;
    }
    return await performLine(args, io);
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

/**
 * A reader that closes the pipe early (`detent run … | head -1`) is no error: the run continues. Any other failure ends a
 * command whose output somebody keeps, but not one that serves.
 */
function surviveBrokenOutput(output: Readonly<{ isDropped: boolean }>): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || output.isDropped) return;
      process.exitCode = 1;
      if (stream === process.stdout)
        process.stderr.write(`detent: stdout cannot be written: ${error.message}\n`);
      process.exit();
    });
}

/** What foreign code leaves behind is reported as its own; any other failure ends the process. */
function reportStrayErrors(host: Host): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error: unknown) => {
      if (isForeignFailure()) return;
      createIo(host).complain(error);
      process.exit(1);
    });
}

function hostOfProcess(dropUnwritten: () => void): Host {
  return {
    env: process.env,
    ...(process.argv[1] !== undefined && { script: process.argv[1] }),
    cwd: process.cwd(),
    get stdin() {
      return process.stdin;
    },
    get hasData() {
      return isPipeOrFile(0);
    },
    stdout: process.stdout,
    stderr: process.stderr,
    get isOneStream() {
      return isSameFile(1, 2);
    },
    onInterrupt(listener: () => void) {
      process.on('SIGINT', listener).once('SIGINT', leaveForTheNext);
      return () => void process.off('SIGINT', listener).off('SIGINT', leaveForTheNext);
    },
    onTerminate(listener: () => void) {
      process.on('SIGTERM', listener);
      return () => void process.off('SIGTERM', listener);
    },
    dropUnwritten,
    leave: (code: number) => process.exit(code),
  };
}

/** A command that ends stops listening before its process does: a further Ctrl-C would kill that by signal. */
function leaveForTheNext(): void {
  if (!process.listeners('SIGINT').includes(leaveIfUnheard)) process.on('SIGINT', leaveIfUnheard);
}

function leaveIfUnheard(): void {
  if (process.listenerCount('SIGINT') === 1) process.exit(exit.cancelled);
}

function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => void stream.write('', () => resolve()));
}

/** False for a terminal, for `/dev/null`, for the socket of a program that starts others, and for a closed stdin. */
function isPipeOrFile(descriptor: number): boolean {
  try {
    const kind = fstatSync(descriptor);
    return kind.isFIFO() || kind.isFile();
  } catch {
    return false;
  }
}

/** False also for one that is closed. */
function isSameFile(a: number, b: number): boolean {
  try {
    const [one, other] = [fstatSync(a), fstatSync(b)];
    return one.dev === other.dev && one.ino === other.ino;
  } catch {
    return false;
  }
}
