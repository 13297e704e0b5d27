import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { isSource, ownFile } from '../../text/files.ts';
import { printable, printableJson, shellWord } from '../../text/wording.ts';
import { asTyped, type HintFlags, programName } from './program-name.ts';
import type { Text } from './styled.ts';
import { type Output, Terminal } from './terminal.ts';

/** A typed line; or the person left (Ctrl-D) or pressed Ctrl-C; or the question was withdrawn. */
export type Asked = { line: string } | { end: 'left' | 'interrupted' | 'withdrawn' };

type Input = Readable & { isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };

/** Where a command runs: a process of its own, or a test that runs many commands in one process. */
export interface Host {
  readonly env: Record<string, string | undefined>;
  /** The file that Node was started with. */
  readonly script?: string;
  /** The folder that relative paths of the command line start from. */
  readonly cwd: string;
  readonly stdin: Input;
  /** Whether stdin is a pipe of a shell or a file, so that data may come on it. */
  readonly hasData: boolean;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Whether stdout and stderr are the same pipe, file or terminal. */
  readonly isOneStream: boolean;
  /** Calls `listener` at each Ctrl-C; returns a function that stops that. */
  onInterrupt(listener: () => void): () => void;
  /** Calls `listener` at each SIGTERM, which then does not end the process; returns a function that stops that. */
  onTerminate(listener: () => void): () => void;
  /** From now on lines that cannot be written, as on a full disk, are dropped, and the command goes on. */
  dropUnwritten(): void;
  /** Exits at once, without waiting for open work. */
  leave(code: number): never;
}

/** What a command reads, writes and asks. */
export interface Io extends Omit<Host, 'stdout' | 'stderr'> {
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  /** Writes to stdout. */
  out(text: Text): void;
  /** Writes JSON for programs to stdout, in one line or indented. It has no character to which a terminal reacts. */
  json(value: unknown, indent?: number): void;
  /** Whether JSON was written: a program reads one value. */
  hasWrittenJson(): boolean;
  /** What the person types in front of a command: `detent`, `npx detent`, `npm run -s detent --`. */
  readonly program: string;
  /**
   * Writes a line for people to stderr, also with `--quiet`: for errors and for what a person has to do. Commands of
   * Detent in it are named as the person types them.
   */
  say(text: Text): void;
  /** The text with each command of Detent in it as the person types it. */
  asTyped(text: Text): Text;
  /** From now on commands in hints carry these flags of this command. */
  hintWith(flags: HintFlags): void;
  /** Redirects the lines of `say` to `to`, which draws on the terminal; returns a function that ends that. */
  redirectSay(to: (text: Text) => void): () => void;
  /** Prints an error once: the engine may report the same error object that the caller gets thrown. */
  complain(error: unknown): void;
  /** Whether stdin and stderr are terminals, so that a person can read a question and answer it. */
  isAttended(): boolean;
  /**
   * Asks the person at the terminal for a line.
   *
   * @param prefilled text on the line, for the person to edit.
   * @param signal withdraws the question.
   */
  askLine(question: string, prefilled?: string, signal?: AbortSignal): Promise<Asked>;
  /** Gives the terminal, and Ctrl-C, to another program for as long as `work` takes. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  /** A path of the command line, made absolute. */
  path(name: string): string;
}

export function createIo(host: Host): Io {
  const { env, cwd, onTerminate, dropUnwritten, leave } = host;
  const stdout = new Terminal(host.stdout, env);
  const stderr = new Terminal(host.stderr, env);
  const program = programName(env, host.script);
  const toStderr = (text: Text): void => {
    stderr.write([text, '\n']);
  };
  let toPeople = toStderr;
  let hintFlags: HintFlags | null = null;
  let hasWrittenJson = false;
  let isLent = false;
  const said = new WeakSet<object>();
  const io: Io = {
    env,
    cwd,
    program,
    // A getter, because reading `process.stdin` opens it, and most commands do not need it.
    get stdin() {
      return host.stdin;
    },
    get hasData() {
      return host.hasData;
    },
    get isOneStream() {
      return host.isOneStream;
    },
    stdout,
    stderr,
    onInterrupt: (listener) =>
      host.onInterrupt(() => {
        if (!isLent) listener();
      }),
    onTerminate,
    dropUnwritten,
    leave,
    out: (text) => void stdout.write(text),
    json(value, indent) {
      hasWrittenJson = true;
      stdout.write(`${printableJson(JSON.stringify(value, null, indent))}\n`);
    },
    hasWrittenJson: () => hasWrittenJson,
    say: (text) => toPeople(io.asTyped(text)),
    asTyped: (text) => asTyped(text, program, hintFlags),
    hintWith(flags) {
      hintFlags = flags;
    },
    redirectSay(to) {
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
      const message = staleClone(error) ?? messageOf(error);
      io.say(`detent: ${message}`);
      if (env.DETENT_DEBUG && error instanceof Error) io.say(String(error.stack));
      else if (!DetentError.is(error)) io.say('detent: set DETENT_DEBUG=1 to see where this comes from');
    },
    // In this order: Node loads its streams of files when it is asked for a stdin that is no terminal.
    isAttended: () => stderr.isTTY && host.stdin.isTTY === true,
    askLine: (...asked) => askLine(host, ...asked),
    async lend(work) {
      isLent = true;
      try {
        return await work();
      } finally {
        isLent = false;
      }
    },
    path: (name) => resolve(cwd, name),
  };
  return io;
}

/**
 * Asks the person at the terminal for a line.
 *
 * The terminal is in raw mode only while the question is open. Otherwise Ctrl-C is a signal.
 *
 * @param prefilled text on the line, for the person to edit.
 * @param signal withdraws the question.
 */
function askLine(
  { stdin, stderr }: Pick<Host, 'stdin' | 'stderr'>,
  question: string,
  prefilled = '',
  signal?: AbortSignal,
): Promise<Asked> {
  const terminal = createInterface({ input: stdin, output: stderr, prompt: printable(question) });
  return new Promise((resolve) => {
    let said: Asked | null = null;
    terminal.on('line', (line) => {
      // Ignores further pasted lines.
      said ??= { line };
      terminal.close();
    });
    terminal.on('SIGINT', () => {
      said ??= { end: 'interrupted' };
      stderr.write('\n');
      terminal.close();
    });
    signal?.addEventListener('abort', () => {
      said ??= { end: 'withdrawn' };
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

/** The advice when a package is missing in a clone: its dependencies are older than its source. Null otherwise. */
function staleClone(error: unknown): string | null {
  const { code, message = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const [, name] = /^Cannot find package '([^']+)'/.exec(message) ?? [];
  if (!isSource || code !== 'ERR_MODULE_NOT_FOUND' || name === undefined) return null;
  const clone = shellWord(fileURLToPath(ownFile('.')).replace(/[\\/]$/, ''));
  return `the package ${name} is not installed: this clone is newer than its dependencies; install them with: npm run --prefix ${clone} -s detent -- --version`;
}
