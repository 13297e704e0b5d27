import { afterAll } from 'vitest';

const cleanups: (() => unknown)[] = [];

/** Does it when the tests of the file are over, the last first; for tests that run at once, unlike `onTestFinished`. */
export function afterwards(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
