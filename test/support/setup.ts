import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { cleanUp } from './afterwards.ts';

// No test may write the settings of the person who runs it.
const home = mkdtempSync(join(tmpdir(), 'detent-home-'));
process.env.DETENT_HOME = home;

// Runs for each test file; other modules are loaded once for all files of a worker.
afterAll(async () => {
  await cleanUp();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});
