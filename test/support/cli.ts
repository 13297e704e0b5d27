import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Detent, DetentOptions, RunView } from '../../src/index.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { openSqlite } from '../../src/store/sql/sqlite.ts';
import { afterwards } from './afterwards.ts';
import { CommandHere } from './command-here.ts';
import { compileCache } from './compile-cache.ts';
import { expectReplaysIn } from './left-behind.ts';
import { type MockProvider, type MockScript, type MockSlot, startMockProvider } from './mock-provider.ts';
import { programFile } from './program.ts';
import { type Ended, hasConfigModule, runHere } from './run-here.ts';
import { VirtualTerminal } from './vt.ts';

const mainOfSource = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** A `detent` process that is still going. */
export interface Live {
  readonly pid: number;
  /** Resolves with the output once it holds `pattern`; rejects when the process ends without it. */
  saw(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string>;
  write(text: string): void;
  endInput(): void;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

export interface CliOptions {
  /**
   * Starts a process, for a test that needs one; else the command runs in the process of the test. One that is left running
   * has its own unless this is false, because most are killed.
   */
  ownProcess?: boolean;
  /** Starts that process from source, as in a clone. Others start from the bundled package. */
  fromSource?: boolean;
  env?: Record<string, string>;
  /** Written to stdin, which is then closed. */
  input?: string;
  /** Runs the command somewhere else than in the workspace. */
  cwd?: string;
  uid?: number;
  /** A file descriptor to write to instead of a pipe. */
  stdout?: number;
  /** Of a terminal; default: 80 columns, 24 rows. */
  size?: { columns: number; rows: number };
  /** Gives a command in the process of the test a stdout like a terminal's, with so many columns. */
  columns?: number;
  /** A file that gets stdout instead of the terminal. */
  into?: string;
}

/** A workspace in a temporary folder, and the command line in it. */
export interface Workspace {
  readonly folder: string;
  path(name: string): string;
  write(name: string, content: string): Promise<void>;
  /** Runs `detent …` to its end. */
  detent(args: readonly string[], options?: CliOptions): Promise<Ended>;
  /** Runs `detent … --json` and parses the one object on stdout. */
  json<T = RunView>(args: readonly string[], options?: CliOptions): Promise<Ended & { view: T }>;
  /** Starts `detent …` and leaves it running, with an open stdin. */
  start(args: readonly string[], options?: CliOptions): Live;
  /** What a run is, read without a process of its own: for tests of something else than `runs show`. */
  look(runId: string): Promise<RunView>;
  /** The only run that there is. */
  lookAtOne(): Promise<RunView>;
  /** Does something with the database as another program would. */
  withLibrary<T>(work: (detent: Detent) => Promise<T>, options?: DetentOptions): Promise<T>;
  /** Runs `detent …` on a terminal, in a process of its own if it needs one. What that gets is its stdout; `saw` looks at what a person sees of it. */
  onTerminal(args: readonly string[], options?: CliOptions): Live;
}

/**
 * Makes a workspace that is gone after the file's tests, with these files in it and an empty database: to make that
 * anew would take each test a third of its time.
 */
export async function newWorkspace(
  files: Readonly<Record<string, string>> = {},
  defaults: CliOptions = {},
): Promise<Workspace> {
  const workspace = await bareWorkspace(files, defaults);
  template ??= emptyDatabase();
  await mkdir(workspace.path('.detent'));
  await copyFile(await template, workspace.path('.detent/detent.db'));
  return workspace;
}

let template: Promise<string> | undefined;

async function emptyDatabase(): Promise<string> {
  const file = join(await temporaryFolder(), 'detent.db');
  afterwards(() => {
    template = undefined;
  });
  await (await openSqlite({ file })).close();
  return file;
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'detent-cli-'));
  afterwards(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** A workspace in which Detent has never been. */
export async function bareWorkspace(
  files: Readonly<Record<string, string>> = {},
  defaults: CliOptions = {},
): Promise<Workspace> {
  const folder = await temporaryFolder();
  afterwards(() => expectReplaysIn(folder));
  const workspace: Workspace = {
    folder,
    path: (name) => join(folder, name),
    write: (name, content) => writeFile(join(folder, name), content),
    async detent(args, given = {}) {
      const options = { ...defaults, ...given };
      if (!needsProcess(folder, options))
        return runHere(args, { ...options, cwd: options.cwd ?? folder, env: environment(options.env) });
      const live = launch(args, folder, options);
      if (options.input !== undefined) live.write(options.input);
      live.endInput();
      return live.ended;
    },
    async json<T>(args: readonly string[], options: CliOptions = {}) {
      const ended = await workspace.detent([...args, '--json'], options);
      try {
        return { ...ended, view: JSON.parse(ended.stdout) as T };
      } catch {
        throw new Error(`no JSON on stdout: ${JSON.stringify(ended)}`);
      }
    },
    start: (args, options = {}) => launch(args, folder, options),
    look: (runId) => workspace.withLibrary((detent) => detent.runs.show(runId), { readonly: true }),
    async lookAtOne() {
      const list = (detent: Detent) => detent.runs.list();
      const [run, ...others] = await workspace.withLibrary(list, { readonly: true });
      if (!run || others.length > 0) throw new Error(`there are ${others.length + (run ? 1 : 0)} runs`);
      return workspace.look(run.runId);
    },
    async withLibrary(work, options = {}) {
      const detent = createDetent({ workspace: folder, env: {}, ...options });
      try {
        return await work(detent);
      } finally {
        await detent.close();
      }
    },
    onTerminal: (args, options = {}) => launchOnTerminal(args, folder, options),
  };
  for (const [name, content] of Object.entries(files)) await workspace.write(name, content);
  return workspace;
}

function needsProcess(folder: string, { ownProcess, fromSource, uid, stdout, env }: CliOptions): boolean {
  if (ownProcess || fromSource || uid !== undefined || stdout !== undefined) return true;
  // Such a configuration looks variables up in its process; those of Detent are not for it.
  return Object.keys(env ?? {}).some((name) => !name.startsWith('DETENT_')) && hasConfigModule(folder);
}

/**
 * Nothing of the machine's own settings and keys may reach a test, and no test may write them. Tests make their folders
 * by other means than Detent's: each command trusts them, but in tests of trust.
 */
function environment(extra: Record<string, string> = {}): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR, DETENT_HOME } = process.env;
  return {
    ...compileCache,
    PATH,
    HOME,
    DETENT_TRUST: '1',
    // Of the file's tests: test/support/setup.ts.
    ...(DETENT_HOME !== undefined && { DETENT_HOME }),
    ...(TMPDIR !== undefined && { TMPDIR }),
    ...extra,
  };
}

/** `detent …` as words for a shell. */
export function cliProcess(args: readonly string[]): string {
  return [process.execPath, programFile('src/cli/main'), ...args]
    .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
    .join(' ');
}

function launch(args: readonly string[], folder: string, options: CliOptions): Live {
  if (options.ownProcess === false) {
    const here = { env: environment(options.env), cwd: options.cwd ?? folder };
    return liveOf(new CommandHere(args, here), (text) => text);
  }
  const main = options.fromSource ? mainOfSource : programFile('src/cli/main');
  return start(process.execPath, [main, ...args], folder, options);
}

/** Whether terminal tests can run here: `script` of util-linux makes the terminal. */
export const hasTerminals = existsSync('/usr/bin/script');

function launchOnTerminal(args: readonly string[], folder: string, options: CliOptions): Live {
  const env = { TERM: 'xterm', SHELL: '/bin/sh', ...options.env };
  const { columns, rows } = options.size ?? { columns: 80, rows: 24 };
  const seen = (text: string) => new VirtualTerminal(columns, rows).write(text).text;
  // Readline looks up in its process what terminal it is on.
  if (!needsProcess(folder, options) && options.into === undefined && env.TERM === 'xterm') {
    const here = { env: environment(env), cwd: options.cwd ?? folder, size: { columns, rows } };
    return liveOf(new CommandHere(args, here), seen);
  }
  // Without `exec` the shell between would die of the Ctrl-C that only the command is to hear.
  const into = options.into === undefined ? '' : ` > '${options.into}'`;
  const command = `stty cols ${columns} rows ${rows}; exec ${cliProcess(args)}${into}`;
  return start('/usr/bin/script', ['-qfec', command, '/dev/null'], folder, { ...options, env }, seen);
}

/** What a person sees of what a terminal of the usual size got; lines are whole, however they were broken. */
export function screen(text: string): string {
  return new VirtualTerminal().write(text).text;
}

function start(
  command: string,
  args: readonly string[],
  folder: string,
  options: CliOptions,
  seen: (text: string) => string = (text) => text,
): Live {
  const spawning: SpawnOptions = {
    cwd: options.cwd ?? folder,
    env: environment(options.env),
    stdio: ['pipe', options.stdout ?? 'pipe', 'pipe'],
    ...(options.uid !== undefined && { uid: options.uid, gid: options.uid }),
  };
  return liveOf(spawn(command, args, spawning), seen);
}

function liveOf(child: ChildProcess | CommandHere, seen: (text: string) => string): Live {
  const output = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  const tell = () => {
    for (const watcher of [...watchers]) watcher();
  };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      tell();
    });
  let isOver = false;
  afterwards(() => void child.kill('SIGKILL'));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      isOver = true;
      resolve({ code, signal, ...output });
      tell();
    });
  });
  // A process that ended early does not read what it is sent.
  child.stdin?.on('error', () => {});
  return {
    pid: child.pid ?? 0,
    saw: (stream, pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (pattern.test(seen(output[stream]))) resolve(output[stream]);
          else if (isOver) reject(new Error(`${pattern} never came: ${JSON.stringify(output)}`));
          else return;
          watchers.delete(look);
        };
        watchers.add(look);
        look();
      }),
    write: (text) => void child.stdin?.write(text),
    endInput: () => void child.stdin?.end(),
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

/** A provider that is closed after the file's tests. */
export async function mockProvider(script: MockScript): Promise<MockProvider> {
  const provider = await startMockProvider(script);
  afterwards(() => provider.close());
  return provider;
}

/** A provider that gives these answers, request by request. */
export function answering(...sequence: MockSlot[]): Promise<MockProvider> {
  return mockProvider({ sequence });
}

/** The flags that name a provider's address again, for a run that another process made with `by`. */
export function at({ baseUrl }: Pick<MockProvider, 'baseUrl'>): string[] {
  return ['--base-url', baseUrl];
}

/** The flags that name a provider's model. */
export function by({ baseUrl }: Pick<MockProvider, 'baseUrl'>, model = 'mock/model'): string[] {
  return ['--model', model, '--base-url', baseUrl];
}
