import { readdirSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { runCli } from '../../src/cli/process.ts';
import type { Host } from '../../src/cli/terminal/io.ts';

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

interface Here {
  env: Record<string, string>;
  cwd: string;
  /** Comes on stdin, which then ends. */
  input?: string;
  /** Of stdout, which then is like a terminal's. */
  columns?: number;
}

/** Runs `detent …` in this process, which has loaded the program already; a process of its own takes half a second. */
export async function runHere(args: readonly string[], { env, cwd, input, columns }: Here): Promise<Ended> {
  const stdout = new Sink(columns);
  const stderr = new Sink();
  const stdin = Readable.from(input === undefined ? [] : [Buffer.from(input)]);
  const code = await runCli(
    args,
    hostHere({ env, cwd, hasData: input !== undefined, stdin, stdout, stderr }),
  );
  return { code, signal: null, stdout: stdout.text, stderr: stderr.text };
}

/** Where a command runs in this process; nothing interrupts it. */
export function hostHere(over: Pick<Host, 'env' | 'cwd'> & Partial<Host>): Host {
  return {
    stdin: Readable.from([]),
    hasData: false,
    stdout: new Sink(),
    stderr: new Sink(),
    isOneStream: false,
    onInterrupt: () => () => {},
    onTerminate: () => () => {},
    dropUnwritten: () => {},
    leave: (left) => {
      throw new Error(`left with ${left}`);
    },
    ...over,
  };
}

/** Keeps what is written to it. */
class Sink extends Writable {
  readonly isTTY: boolean;
  readonly columns: number;
  readonly #pieces: Buffer[] = [];

  constructor(columns = 0) {
    super();
    this.isTTY = columns > 0;
    this.columns = columns;
  }

  get text(): string {
    return Buffer.concat(this.#pieces).toString('utf8');
  }

  override _write(piece: Buffer, _: BufferEncoding, written: () => void): void {
    this.#pieces.push(piece);
    written();
  }
}

/** A configuration that is a module looks variables up in its process, which all tests of a file share. */
export function hasConfigModule(workspace: string): boolean {
  return readdirSync(workspace).some((name) => /^detent\.config\.[mc]?[jt]s$/.test(name));
}
