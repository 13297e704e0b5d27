import { EventEmitter } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
import { runCli } from '../../src/cli/run-cli.ts';

const [ctrlC, ctrlD] = ['\u0003', '\u0004'];

interface Here {
  env: Record<string, string>;
  cwd: string;
  columns: number;
  rows: number;
}

/**
 * `detent …` in this process on a terminal, as far as a command sees one; a process on a real one takes half a second.
 * Has what a `ChildProcess` has: `stdin` is what the person types, `stdout` what the terminal gets.
 */
export class TerminalHere extends EventEmitter {
  readonly pid = 0;
  readonly stdout = new PassThrough();
  readonly stderr = null;
  readonly stdin: Writable;
  readonly #keys = new Keys();
  readonly #interrupts = new Set<() => void>();

  constructor(args: readonly string[], { env, cwd, columns, rows }: Here) {
    super();
    const screen = new Screen(this.stdout, columns, rows);
    this.stdin = new Writable({
      decodeStrings: false,
      write: (text: string, _, done) => {
        this.#type(text, screen);
        done();
      },
      final: (done) => done(),
    });
    const ended = runCli(args, {
      env,
      cwd,
      hasData: false,
      stdin: this.#keys,
      stdout: screen,
      stderr: screen,
      onInterrupt: (listener) => {
        this.#interrupts.add(listener);
        return () => void this.#interrupts.delete(listener);
      },
      onTerminate: () => () => {},
      leave: (code) => {
        throw new Error(`left with ${code}: that needs a process of its own`);
      },
    });
    ended.then(
      (code) => this.stdout.end(() => this.emit('close', code, null)),
      (error: unknown) => this.emit('error', error),
    );
  }

  /** The terminal has gone. */
  kill(): void {
    this.#keys.push(null);
  }

  /** A program that does not read keys gets lines, which the terminal shows itself. */
  #type(text: string, screen: Screen): void {
    if (this.#keys.isRaw) this.#keys.push(text);
    else if (text === ctrlC) {
      screen.write('^C');
      for (const interrupt of [...this.#interrupts]) interrupt();
    } else if (text === ctrlD) this.#keys.push(null);
    else {
      screen.write(text.replaceAll('\r', '\n'));
      this.#keys.push(text.replaceAll('\r', '\n'));
    }
  }
}

class Keys extends Readable {
  readonly isTTY = true;
  isRaw = false;

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

  constructor(got: Writable, columns: number, rows: number) {
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
