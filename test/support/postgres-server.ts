import { createServer, type Server as Listener } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type Server, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The port of 127.0.0.1 that says the address of the PostgreSQL server of all tests, and starts it when it is first asked. */
    postgres: number;
  }
}

let asked: Promise<number> | undefined;
let listener: Listener | undefined;
let server: Promise<Server> | undefined;

/** One PostgreSQL server for all test files: a start of its own for each would take a second each. */
export default async function postgresServer(project: TestProject): Promise<() => Promise<void>> {
  asked ??= new Promise((resolve) => {
    listener = createServer((socket) => {
      server ??= startPostgres();
      socket.on('error', () => {});
      server.then(
        ({ url }) => socket.end(url('postgres')),
        (error) => socket.end(String(error)),
      );
    }).unref();
    listener.listen(0, '127.0.0.1', () => {
      const address = listener?.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
  project.provide('postgres', await asked);
  // Called for each project.
  return async () => {
    listener?.close();
    const running = server;
    server = undefined;
    await (await running?.catch(() => undefined))?.stop();
  };
}
