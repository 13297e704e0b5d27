import { EventEmitter } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
import { runCli } from '../../src/cli/process.ts';

const [ctrlC, ctrlD] = ['\u0003', '\u0004'];

interface Here {
  env: Record<string, string>;
  cwd: string;
  /** Of the terminal that stdin, stdout and stderr are; default: pipes. */
  size?: { columns: number; rows: number };
}

/**
 * `detent …` that goes on in this process, with all that a command sees of a terminal or of pipes; a process of its own
 * takes half a second. Has what a `ChildProcess` has. On a terminal, `stdin` is what the person types, and `stdout` what
 * the terminal gets.
 */
export class CommandHere extends EventEmitter {
  readonly pid = process.pid;
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly stdin: Writable;
  readonly #keys: Keys;
  readonly #interrupts = new Set<() => void>();
  readonly #terminates = new Set<() => void>();

  constructor(args: readonly string[], { env, cwd, size }: Here) {
    super();
    const screen = size && new Screen(this.stdout, size);
    this.#keys = new Keys(screen !== undefined);
    this.stdin = new Writable({
      decodeStrings: false,
      write: (text: string, _, done) => {
        this.#type(text, screen);
        done();
      },
    });
    const ended = runCli(args, {
      env,
      cwd,
      hasData: false,
      isOneStream: screen !== undefined,
      stdin: this.#keys,
      stdout: screen ?? this.stdout,
      stderr: screen ?? this.stderr,
      onInterrupt: (listener) => added(this.#interrupts, listener),
      onTerminate: (listener) => added(this.#terminates, listener),
      dropUnwritten: () => {},
      leave: (code) => {
        throw new Error(`left with ${code}: that needs a process of its own`);
      },
    });
    ended.then(
      (code) => this.#end(code),
      (error: unknown) => this.emit('error', error),
    );
  }

  /** Nothing can be killed here: a command is asked to end, and its terminal goes. */
  kill(signal: NodeJS.Signals): void {
    const heard = signal === 'SIGINT' ? this.#interrupts : this.#terminates;
    for (const listener of [...heard]) listener();
    if (signal === 'SIGKILL') this.#keys.push(null);
  }

  #end(code: number): void {
    // As of a process, once all has been read.
    this.stdout.end(() => this.stderr.end(() => this.emit('close', code, null)));
  }

  /** A program that does not read keys gets lines, which the terminal shows itself. */
  #type(text: string, screen: Screen | undefined): void {
    if (!screen || this.#keys.isRaw) this.#keys.push(text);
    else if (text === ctrlC) {
      screen.write('^C');
      this.kill('SIGINT');
    } else if (text === ctrlD) this.#keys.push(null);
    else {
      const lines = text.replaceAll('\r', '\n');
      screen.write(lines);
      this.#keys.push(lines);
    }
  }
}

function added(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

class Keys extends Readable {
  readonly isTTY: boolean;
  isRaw = false;

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  setRawMode(isRaw: boolean): void {
    this.isRaw = isRaw;
  }

  override _read(): void {}
}

class Screen extends Writable {
  readonly isTTY = true;
  readonly getColorDepth = WriteStream.prototype.getColorDepth;
  readonly columns: number;
  readonly rows: number;
  readonly #got: Writable;

  constructor(got: Writable, { columns, rows }: { columns: number; rows: number }) {
    super();
    this.#got = got;
    this.columns = columns;
    this.rows = rows;
  }

  override _write(piece: Buffer, _: BufferEncoding, written: () => void): void {
    this.#got.write(piece.toString('latin1').replaceAll('\n', '\r\n'), 'latin1');
    written();
  }
}
