#!/usr/bin/env node
import { existsSync, fstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { detentHome } from '../files/detent-home.ts';
import { nodeProblem } from '../runtime/needs-node.ts';

const problem = nodeProblem(process.versions.node);
if (problem !== null) {
  process.stderr.write(`detent: ${problem}\n`);
  process.exit(1);
}
// An older Node does not have this function, and would refuse to load a file that names it in a static import.
const { enableCompileCache } = await import('node:module');
keepCompiledCode();

// A reader that closes the pipe early (`detent run … | head -1`) is no error: the run continues.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.exitCode = 1;
    if (stream === process.stdout)
      process.stderr.write(`detent: stdout cannot be written: ${error.message}\n`);
    process.exit();
  });

const { runCli } = await import('./run-cli.ts');
const { exit } = await import('./terminal/exit-codes.ts');
const host = {
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
  onInterrupt(listener: () => void) {
    process.on('SIGINT', listener).once('SIGINT', leaveForTheNext);
    return () => void process.off('SIGINT', listener).off('SIGINT', leaveForTheNext);
  },
  leave: (code: number) => process.exit(code),
};

// A user's tool that throws from a callback is reported as an error, not as a crash of Detent.
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, async (error: unknown) => {
    const { createIo } = await import('./terminal/io.ts');
    createIo(host).complain(error);
    process.exit(1);
  });

// Ctrl-Z: the signal alone could stop the process inside a transaction, and other processes could not write until it
// continues. JavaScript hears of it between two transactions.
if (process.platform !== 'win32') process.on('SIGTSTP', () => process.kill(process.pid, 'SIGSTOP'));

// Some waits keep no process alive (an unref'd retry timer): the interval does, until the command ends.
const held = setInterval(() => {}, 2 ** 30);
process.exitCode = await runCli(process.argv.slice(2), host);
clearInterval(held);
await Promise.all([process.stdout, process.stderr].map(written));
// A cancelled tool that ignores its signal must not keep the process alive.
process.exit();

/** A command that ends stops listening before its process does: a further Ctrl-C would kill that by signal. */
function leaveForTheNext(): void {
  if (!process.listeners('SIGINT').includes(leaveIfUnheard)) process.on('SIGINT', leaveIfUnheard);
}

function leaveIfUnheard(): void {
  if (process.listenerCount('SIGINT') === 1) process.exit(exit.cancelled);
}

/**
 * Keeps what V8 compiled for the next start, in a folder that only this user can write: what lies there is executed, and
 * Node's own choice is a folder of the machine's temporary files. Without one, or where it cannot be written, each start
 * compiles. `NODE_COMPILE_CACHE` names another folder.
 */
function keepCompiledCode(): void {
  const home = detentHome(process.env);
  if (!existsSync(home)) return;
  const folder = join(home, 'cache');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    enableCompileCache(join(folder, 'compiled'));
  } catch {
    // A home that cannot be written to is no reason to refuse the command.
  }
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
