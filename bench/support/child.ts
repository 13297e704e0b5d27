import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * Runs a script in a fresh process, hands it one JSON argument and resolves with the last line of its output, parsed.
 *
 * @param nodeFlags for Node itself
 * @throws Error when the script fails, with what it wrote to stderr.
 */
export async function measureInChild<Result>(
  script: URL,
  argument: unknown,
  nodeFlags: readonly string[] = [],
): Promise<Result> {
  const command = [...nodeFlags, fileURLToPath(script), JSON.stringify(argument)];
  const { stdout } = await promisify(execFile)(process.execPath, command);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Result;
}

/** What a script started by {@link measureInChild} was asked to do. */
export function askedOfChild<Argument>(): Argument {
  return JSON.parse(process.argv[2] ?? 'null') as Argument;
}

/** A server in a process of its own. */
interface ServerProcess {
  port: number;
  stop(): void;
}

/** Starts a script that tells its parent its port, and ends with it. */
export async function startServer(script: URL): Promise<ServerProcess> {
  const child = fork(script);
  const [port] = (await once(child, 'message')) as [number];
  return { port, stop: () => child.disconnect() };
}

interface Mock {
  /** For a provider's `baseUrl`. */
  url: string;
  stop(): void;
}

/** Starts the mock server in its own process. */
export async function startMock(): Promise<Mock> {
  const { port, stop } = await startServer(new URL('../mock-server.ts', import.meta.url));
  return { url: `http://127.0.0.1:${port}/v1`, stop };
}
