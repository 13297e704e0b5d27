const cleanups: (() => unknown)[] = [];
const reports: (() => unknown)[] = [];

/** Does it when the tests of the file are over, the last first; for tests that run at once, unlike `onTestFinished`. */
export function afterwards(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** Does it when all that was to be done afterwards is done. */
export function lastOfAll(report: () => unknown): void {
  reports.push(report);
}

/** Called when the tests of a file are over (test/support/setup.ts). */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  for (const report of reports.splice(0)) await report();
}
