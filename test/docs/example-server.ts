import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { compileCache } from '../support/compile-cache.ts';
import { root } from './markdown.ts';

/** A server of examples/backend in a process of its own. */
export interface ExampleServer {
  url: string;
  /** Ends it as a system does, and resolves with its exit code. */
  end(): Promise<number | null>;
}

/** Starts it in an empty folder, at any port. It ends with the test. */
export async function startExample(name: string): Promise<ExampleServer> {
  const folder = await mkdtemp(join(tmpdir(), 'detent-example-'));
  const child = spawn(process.execPath, [join(root, `examples/backend/${name}.ts`)], {
    cwd: folder,
    env: { ...compileCache, PATH: process.env.PATH ?? '', HOME: folder, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const end = async () => {
    child.kill('SIGTERM');
    return (await exited)[0];
  };
  onTestFinished(async () => {
    await end();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return { url: await Promise.race([urlOf(child), exited.then(failed)]), end };
}

function failed([code]: [number | null]): never {
  throw new Error(`the server ended with ${code} before it listened`);
}

function urlOf({ stdout }: ChildProcess): Promise<string> {
  let said = '';
  return new Promise((resolve) => {
    stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, port] = /http:\/\/\S+?:(\d+)\n/.exec(said) ?? [];
      if (port !== undefined) resolve(`http://localhost:${port}`);
    });
  });
}
