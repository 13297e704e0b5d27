const cleanups: (() => unknown)[] = [];

/** Does it when the tests of the file are over, the last first; for tests that run at once, unlike `onTestFinished`. */
export function afterwards(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** Called when the tests of a file are over (test/support/setup.ts). */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}
