import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import type {} from '../support/bundled-program.ts';
import { compileCache } from '../support/compile-cache.ts';
import { root } from './markdown.ts';

/** A server of examples/backend in a process of its own. */
interface ExampleServer {
  url: string;
  /** What it printed. */
  said: readonly string[];
  /** Ends it as a system does, and resolves with its exit code. */
  end(): Promise<number | null>;
  /** Kills it, and starts it again at its port. */
  crash(): Promise<void>;
}

const packages = ['@hono', 'better-sqlite3', 'express', 'fastify', 'hono', 'xstate', 'zod'];

/** Starts it in a project that has Detent as a package, at any port. It ends with the test. */
export async function startExample(name: string, from = 'examples/backend'): Promise<ExampleServer> {
  const folder = await mkdtemp(join(tmpdir(), 'detent-example-'));
  await cp(join(root, from), folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await mkdir(join(folder, 'node_modules'));
  await symlink(inject('program'), join(folder, 'node_modules/detent'));
  for (const one of packages)
    await symlink(join(root, 'node_modules', one), join(folder, 'node_modules', one));
  const said: string[] = [];
  const start = (port: string) => {
    const child = spawn(process.execPath, [join(folder, `${name}.ts`)], {
      cwd: folder,
      env: { ...compileCache, PATH: process.env.PATH ?? '', HOME: folder, PORT: port },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const wrote: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => wrote.push(text));
    child.stdout.setEncoding('utf8').on('data', (text: string) => said.push(text));
    const exited = once(child, 'exit') as Promise<[number | null]>;
    const failed = ([code]: [number | null]): never => {
      throw new Error(`the server ended with ${code} before it listened: ${wrote.join('')}`);
    };
    return { child, exited, listens: Promise.race([urlOf(child), exited.then(failed)]) };
  };
  let now = start('0');
  const end = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') => {
    now.child.kill(signal);
    return (await now.exited)[0];
  };
  onTestFinished(async () => {
    await end();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const url = await now.listens;
  return {
    said,
    url,
    end: () => end(),
    async crash() {
      await end('SIGKILL');
      now = start(new URL(url).port);
      await now.listens;
    },
  };
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
