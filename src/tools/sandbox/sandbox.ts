/** What a command may use. Each process of it has these to itself, but for `processes`. */
export interface CommandLimits {
  /** Processes and threads at once. */
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
  /** For a shell; it is handed over as one argument, and never becomes part of another shell's text. */
  command: string;
  /** Absolute path of the folder that it runs in. */
  workspace: string;
  /** Files of the workspace that it must not see, absolute: the database, where that is not in `.detent`. */
  hidden: readonly string[];
  /** Folders besides the workspace that it may read, absolute. */
  readable?: readonly string[];
  timeoutMs: number;
  /** Ends the command and all of its processes. */
  signal: AbortSignal;
  /** Told of all output as it comes. Must not throw. */
  onOutput(stream: OutputStream, bytes: Buffer): void;
}

export type OutputStream = 'stdout' | 'stderr';

/** How a command ended. `code` is what its shell returned: 128 and the signal's number when a signal ended it. */
export interface CommandEnd {
  how: 'exited' | 'timedOut' | 'killed';
  code: number;
  tookMs: number;
}

/** A command that has begun. */
export interface RunningCommand {
  /** Resolves when it has ended and all of its output was told. Never rejects. */
  readonly ended: Promise<CommandEnd>;
  /** Ends all of its processes at once; after the end it does nothing. */
  kill(): void;
  /** Lets this process end although the command is at work. */
  unref(): void;
}

/** Runs commands, with more or less between them and the machine. */
export type Sandbox = WorkingSandbox | MissingSandbox;

export interface WorkingSandbox extends CommandRunner {
  readonly kind: 'bubblewrap' | 'none';
}

/** Stands where there is none, and refuses every command. */
export interface MissingSandbox extends CommandRunner {
  readonly kind: 'unavailable';
  /** Why, and what to do. */
  readonly reason: string;
}

export interface CommandRunner {
  /** For the model: what a command can reach, in one sentence. */
  readonly reach: string;
  /**
   * Starts a command. When this resolves, it ends with `kill`, with the time-out, with `signal`, and with this process,
   * however that dies.
   *
   * @throws ToolFailure `SANDBOX_UNAVAILABLE`; `ABORTED` when `signal` aborts before the command has begun.
   */
  start(job: CommandJob): Promise<RunningCommand>;
}
