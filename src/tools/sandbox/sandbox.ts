/** Limits of a command. They apply to each of its processes, except `processes`. */
export interface CommandLimits {
  /** Maximum concurrent processes and threads. */
  processes: number;
  /** Bytes of one file that it writes. */
  fileBytes: number;
  /** Bytes of memory that a process may write to. */
  memoryBytes: number;
  openFiles: number;
  /** Bytes of its own `/tmp`, where the sandbox gives it one. */
  temporaryBytes: number;
}

/** One command to run. */
export interface CommandJob {
  /** The text for the shell. It is passed as one argument, and never becomes part of another shell's text. */
  command: string;
  /** Working folder; absolute path. */
  workspace: string;
  /** Files and folders of the workspace that it must not see: the database, if that is not in `.detent`. Absolute paths. */
  hidden: readonly string[];
  /** Files and folders of the workspace that it may not change; absolute paths without symbolic links. */
  fixed?: readonly string[];
  /** Folders besides the workspace that it may read; absolute paths. */
  readable?: readonly string[];
  timeoutMs: number;
  /** Ends the command and all of its processes. */
  signal: AbortSignal;
  /** Called with all output as it comes. Must not throw. */
  onOutput(stream: OutputStream, bytes: Buffer): void;
}

export type OutputStream = 'stdout' | 'stderr';

/** How a command ended. `code` is what its shell returned: 128 and the signal's number when a signal ended it. */
export interface CommandEnd {
  how: 'exited' | 'timedOut' | 'killed';
  code: number;
  tookMs: number;
}

/** A running command. */
export interface RunningCommand {
  /** Resolves when it has ended and `onOutput` has got all of its output. Never rejects. */
  readonly ended: Promise<CommandEnd>;
  /** Kills all of its processes; does nothing after the end. */
  kill(): void;
  /** Lets this process exit while the command runs. */
  unref(): void;
}

/** Runs commands, more or less isolated from the machine. */
export type Sandbox = WorkingSandbox | MissingSandbox;

export interface WorkingSandbox extends CommandRunner {
  readonly kind: 'bubblewrap' | 'none';
}

/** The placeholder without a working sandbox; it refuses every command. */
export interface MissingSandbox extends CommandRunner {
  readonly kind: 'unavailable';
  /** The reason, and what to do. */
  readonly reason: string;
}

interface CommandRunner {
  /** For the model: what a command can reach, in one sentence. */
  readonly reach: string;
  /**
   * Starts a command. From then on `kill`, the timeout, `signal` and the end of this process, however it dies, end it.
   *
   * @throws ToolFailure `SANDBOX_UNAVAILABLE`; `ABORTED` when `signal` aborts before the command has begun.
   */
  start(job: CommandJob): Promise<RunningCommand>;
}
