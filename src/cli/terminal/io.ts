import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { printable } from './printable.ts';

/** A line; or the person left (Ctrl-D), or pressed Ctrl-C. */
export type Said = { line: string } | { end: 'left' | 'interrupted' };

export type Input = Readable & { isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };

export type Output = Writable & {
  isTTY?: boolean;
  /** Missing or 0 when nobody knows. */
  columns?: number;
  rows?: number;
  getColorDepth?(): number;
};

/** Where a command runs: a process of its own, or a test that runs many commands in one process. */
export interface Host {
  readonly env: Record<string, string | undefined>;
  /** The folder from which paths of the command line count. */
  readonly cwd: string;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Calls `listener` at each Ctrl-C; answers how to stop that. */
  onInterrupt(listener: () => void): () => void;
  /** Ends the command at once, whatever is under way. */
  leave(code: number): never;
}

/** What a command reads, writes and asks. */
export interface Io extends Host {
  /** Data: what a pipe gets. */
  out(text: string): void;
  /** A line for people on stderr, whatever `--quiet` says: it is about what went wrong or must be done. */
  say(text: string): void;
  /** Lets what is said go to the part that draws on the terminal; answers how to end that. */
  divertSaid(to: (text: string) => void): () => void;
  /** Says an error, the first time that it comes by: the engine may report what the caller gets thrown, too. */
  complain(error: unknown): void;
  /** Whether there is a person to ask: one who can read the question, and answer it. */
  isAttended(): boolean;
  /** Asks the person at the terminal for a line. @param prefilled stands on the line already, to be changed. */
  askLine(question: string, prefilled?: string): Promise<Said>;
  /** A path of the command line, made absolute. */
  path(name: string): string;
}

export function createIo(host: Host): Io {
  const { env, cwd, stdout, stderr, onInterrupt, leave } = host;
  const toStderr = (text: string): void => {
    stderr.write(`${text}\n`);
  };
  let toPeople = toStderr;
  const said = new WeakSet<object>();
  const io: Io = {
    env,
    cwd,
    // A process opens it when it is asked for, and most commands do not ask.
    get stdin() {
      return host.stdin;
    },
    stdout,
    stderr,
    onInterrupt,
    leave,
    out: (text) => void stdout.write(text),
    say: (text) => toPeople(printable(text)),
    divertSaid(to) {
      toPeople = to;
      return () => {
        toPeople = toStderr;
      };
    },
    complain(error) {
      if (typeof error === 'object' && error !== null) {
        if (said.has(error)) return;
        said.add(error);
      }
      io.say(`detent: ${messageOf(error)}`);
      if (env.DETENT_DEBUG && error instanceof Error) io.say(String(error.stack));
      else if (!DetentError.is(error)) io.say('detent: set DETENT_DEBUG=1 to see where this comes from');
    },
    isAttended: () => host.stdin.isTTY === true && stderr.isTTY === true,
    askLine: (question, prefilled) => askLine(host, question, prefilled),
    path: (name) => resolve(cwd, name),
  };
  return io;
}

/**
 * Asks the person at the terminal for a line.
 *
 * The terminal is in raw mode only while the question is open: in between, Ctrl-C is a signal again.
 *
 * @param prefilled stands on the line already, to be changed.
 */
function askLine(
  { stdin, stderr }: Pick<Host, 'stdin' | 'stderr'>,
  question: string,
  prefilled = '',
): Promise<Said> {
  const terminal = createInterface({ input: stdin, output: stderr, prompt: question });
  return new Promise((resolve) => {
    let said: Said | null = null;
    terminal.on('line', (line) => {
      // What was pasted behind the first line answers nothing.
      said ??= { line };
      terminal.close();
    });
    terminal.on('SIGINT', () => {
      said ??= { end: 'interrupted' };
      stderr.write('\n');
      terminal.close();
    });
    terminal.on('close', () => {
      if (!said) stderr.write('\n');
      resolve(said ?? { end: 'left' });
    });
    terminal.prompt();
    if (prefilled !== '') terminal.write(prefilled);
  });
}
