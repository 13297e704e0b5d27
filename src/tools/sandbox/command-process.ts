import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Duplex, Readable } from 'node:stream';
import { ToolFailure } from '../../protocol/tool.ts';
import type { CommandEnd, CommandJob, RunningCommand } from './sandbox.ts';
import { sandboxUnavailable } from './unavailable.ts';

/** A process whose launcher follows the handshake on `controlFd`. */
interface ProcessPlan {
  file: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
  /** The user it runs as; default: this process's user. */
  owner?: { uid: number; gid: number };
  /** Texts for its file descriptors 4, 5, … */
  feeds: readonly string[];
}

type Control = Pick<CommandJob, 'signal' | 'timeoutMs' | 'onOutput'>;

/** Timeout of the launcher's first message. */
const startMs = 20_000;
/** How long to wait for output after all processes that could write it should have ended. */
const drainMs = 1_000;
const maxComplaintChars = 500;

/**
 * Starts a process and resolves when its launcher has got the message to go.
 *
 * @throws ToolFailure `SANDBOX_UNAVAILABLE` when the launcher sends no message; `ABORTED`.
 */
export async function startProcess(plan: ProcessPlan, control: Control): Promise<RunningCommand> {
  if (control.signal.aborted) throw aborted();
  const child = spawn(plan.file, plan.args, {
    cwd: plan.cwd,
    env: plan.env,
    // Its own process group, so that one signal ends all of it, and Ctrl-C at the terminal does not reach it.
    detached: true,
    // Not `ignore`: that is this machine's /dev/null, which root could change through the descriptor.
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', ...plan.feeds.map(() => 'pipe' as const)],
    ...plan.owner,
  });
  feed(child, plan.feeds);
  const channel = child.stdio[3] as Duplex;
  channel.on('error', () => {});
  const running = follow(child, channel, control);
  try {
    await handshake(child, channel, control.signal);
  } catch (error) {
    running.kill();
    throw error;
  }
  running.begins();
  return running;
}

function feed(child: ChildProcess, texts: readonly string[]): void {
  child.stdin?.on('error', () => {});
  child.stdin?.end();
  texts.forEach((text, i) => {
    const pipe = child.stdio[4 + i] as Duplex;
    // The reader may have ended already; the exit of the process reports that.
    pipe.on('error', () => {});
    pipe.end(text);
  });
}

/** Waits for the launcher's first message and answers it. */
function handshake(child: ChildProcess, channel: Duplex, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let complaint = '';
    const complain = (bytes: Buffer) => {
      if (complaint.length < maxComplaintChars) complaint += bytes.toString();
    };
    const timer = setTimeout(() => settle(sandboxUnavailable('it did not start in time')), startMs);
    const settle = (error?: Error) => {
      clearTimeout(timer);
      child.stderr?.off('data', complain);
      signal.removeEventListener('abort', onAbort);
      if (error) reject(error);
      else resolve();
    };
    const onAbort = () => settle(aborted());
    signal.addEventListener('abort', onAbort, { once: true });
    child.stderr?.on('data', complain);
    child.once('error', (error) => settle(sandboxUnavailable(error.message)));
    child.once('close', (code) =>
      settle(
        sandboxUnavailable(complaint.trim().slice(0, maxComplaintChars) || `it ended with code ${code}`),
      ),
    );
    channel.once('data', () => {
      channel.write('go\n');
      settle();
    });
  });
}

function follow(
  child: ChildProcess,
  channel: Duplex,
  { signal, timeoutMs, onOutput }: Control,
): RunningCommand & { begins(): void } {
  let began = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let how: CommandEnd['how'] = 'exited';
  let isOver = false;
  const end = (reason: 'timedOut' | 'killed') => {
    if (isOver) return;
    if (how === 'exited') how = reason;
    killGroup(child);
    channel.destroy();
  };
  const onAbort = () => end('killed');
  signal.addEventListener('abort', onAbort, { once: true });
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.on('data', (bytes: Buffer) => onOutput(stream, bytes));
  const ended = new Promise<CommandEnd>((resolve) => {
    const settle = (code: number) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      channel.destroy();
      resolve({ how, code, tookMs: performance.now() - began });
    };
    child.once('error', () => settle(-1));
    child.once('exit', () => {
      isOver = true;
      channel.destroy();
      // Without a namespace, a process that left the group may keep the pipes open for ever.
      setTimeout(() => closeAll([child.stdout, child.stderr]), drainMs).unref();
    });
    child.once('close', (code, by) => settle(code ?? 128 + (by ? constants.signals[by] : 0)));
  });
  return {
    ended,
    // The timeout counts from here: the start of the sandbox does not count.
    begins() {
      if (isOver) return;
      began = performance.now();
      timer = setTimeout(() => end('timedOut'), timeoutMs);
    },
    kill: () => end('killed'),
    unref() {
      timer?.unref();
      child.unref();
      for (const stream of [child.stdout, child.stderr, channel])
        (stream as Partial<NodeJS.RefCounted>)?.unref?.();
    },
  };
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}

function closeAll(streams: readonly (Readable | null)[]): void {
  for (const stream of streams) stream?.destroy();
}

function aborted(): ToolFailure {
  return new ToolFailure('ABORTED', 'the command was cancelled before it began');
}
