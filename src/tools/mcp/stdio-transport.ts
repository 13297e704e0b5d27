import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { endsWithin } from '../../text/limiter.ts';
import type { McpTarget } from './server.ts';

/** Maximum bytes of one message. */
const maxMessageBytes = 16 * 1024 * 1024;
const complaintChars = 500;
/** How long to wait for a server to exit, before the next, harsher signal. */
const graceMs = 1_000;

/**
 * Runs a server as a child process, and exchanges lines of JSON over its stdin and stdout. Unlike the transport of the
 * client package it passes only the configured environment variables, and kills the whole process group, so that the
 * children of `npx` end too.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #target: Extract<McpTarget, { type: 'stdio' }>;
  readonly #env: Readonly<Record<string, string>>;
  readonly #parse: (line: string) => JSONRPCMessage;
  #child: ChildProcess | null = null;
  #ended: Promise<void> = Promise.resolve();
  #complaint = '';
  #exit: string | null = null;

  /** @param parse throws for a line that is no message; the transport skips such lines */
  constructor(
    target: Extract<McpTarget, { type: 'stdio' }>,
    env: Readonly<Record<string, string>>,
    parse: (line: string) => JSONRPCMessage,
  ) {
    this.#target = target;
    this.#env = env;
    this.#parse = parse;
  }

  /** The exit status, if it has ended, and the end of its stderr; empty when there is neither. */
  get lastWords(): string {
    return [this.#exit, this.#complaint.trim()].filter((words) => words).join(': ');
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): Promise<void> {
    const { command, args, cwd } = this.#target;
    const child = spawn(command, args, {
      cwd,
      env: { ...this.#env },
      // Its own process group, so that one signal ends all of it, and Ctrl-C at the terminal does not reach it.
      detached: process.platform !== 'win32',
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    this.#child = child;
    const unwatch = watchGroup(child);
    child.stdin?.on('error', () => {});
    child.stderr?.on('data', (bytes: Buffer) => {
      this.#complaint = `${this.#complaint}${bytes}`.slice(-complaintChars);
    });
    this.#readLines(child);
    this.#ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#exit = signal ? `it was ended by ${signal}` : `it ended with code ${code}`;
        // End its children, too.
        killGroup(child, 'SIGKILL');
        unwatch();
      });
      child.once('close', () => {
        resolve();
        this.onclose?.();
      });
    });
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        this.#exit = `it cannot be started (${error.message})`;
        reject(error);
      });
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child ?? {};
    if (!stdin?.writable) return Promise.reject(new Error('the server has ended'));
    return new Promise((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Ends the server as the protocol prescribes: closes its input, then sends signals. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child?.pid) return;
    child.stdin?.end();
    if (await endsWithin(this.#ended, graceMs)) return;
    killGroup(child, 'SIGTERM');
    if (await endsWithin(this.#ended, graceMs)) return;
    killGroup(child, 'SIGKILL');
    if (await endsWithin(this.#ended, graceMs)) return;
    // A process that left the group still holds the pipes.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  }

  #readLines(child: ChildProcess): void {
    let pieces: Buffer[] = [];
    let held = 0;
    child.stdout?.on('data', (bytes: Buffer) => {
      let from = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
        this.#take(Buffer.concat([...pieces, bytes.subarray(from, end)]).toString());
        pieces = [];
        held = 0;
        from = end + 1;
      }
      if (from < bytes.length) pieces.push(bytes.subarray(from));
      held += bytes.length - from;
      if (held <= maxMessageBytes) return;
      pieces = [];
      held = 0;
      this.#complaint = `it wrote a line of more than ${maxMessageBytes} bytes`;
      killGroup(child, 'SIGKILL');
    });
  }

  /** Servers print to stdout lines that are no messages: skip them. */
  #take(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = this.#parse(line);
    } catch (error) {
      this.onerror?.(error as Error);
      return;
    }
    this.onmessage?.(message);
  }
}

/** A shell script: ends the group of `$1`, some time after the other side of fd 3 was closed. */
const watcher = `trap '' HUP INT TERM; read -r gone <&3; sleep ${graceMs / 1000}; kill -s KILL -- "-$1"`;

/**
 * Starts a watcher that ends the server's process group when this process dies, because not every server exits when its
 * input ends. Returns a function that stops the watcher; call it before the group's id can be reused.
 */
function watchGroup({ pid }: ChildProcess): () => void {
  if (pid === undefined || process.platform === 'win32') return () => {};
  const watching = spawn('/bin/sh', ['-c', watcher, 'sh', String(pid)], {
    detached: true,
    env: serverEnvironment(process.env, {}),
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  watching.on('error', () => {});
  watching.unref();
  (watching.stdio[3] as Socket).unref();
  return () => watching.kill('SIGKILL');
}

const kept =
  process.platform === 'win32'
    ? [
        'PATH',
        'PATHEXT',
        'SYSTEMROOT',
        'SYSTEMDRIVE',
        'COMSPEC',
        'TEMP',
        'USERPROFILE',
        'APPDATA',
        'LOCALAPPDATA',
      ]
    : ['PATH', 'HOME', 'LANG'];

/** The environment of a server: `PATH`, `HOME` and the like, and its configured variables; never the keys of models. */
export function serverEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  declared: Readonly<Record<string, string>>,
): Record<string, string> {
  const inherited = kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  return { ...Object.fromEntries(inherited), ...declared };
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // The group has ended already.
  }
}
