import { readdirSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { runCli } from '../../src/cli/process.ts';

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
  const code = await runCli(args, {
    env,
    cwd,
    hasData: input !== undefined,
    isOneStream: false,
    stdin: Readable.from(input === undefined ? [] : [Buffer.from(input)]),
    stdout,
    stderr,
    onInterrupt: () => () => {},
    onTerminate: () => () => {},
    dropUnwritten: () => {},
    leave: (left) => {
      throw new Error(`left with ${left}`);
    },
  });
  return { code, signal: null, stdout: stdout.text, stderr: stderr.text };
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
