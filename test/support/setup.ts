import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, chai } from 'vitest';
import { hookModules } from '../../src/cli/settings/module-hooks.ts';
import { cleanUp } from './afterwards.ts';
import './known-modules.ts';
import { propertySeed } from './seed.ts';

// What the examples and the configuration modules of workspaces import as `detent` is the code under test.
hookModules(null);

// No test may write the settings of the person who runs it.
const home = mkdtempSync(join(tmpdir(), 'detent-home-'));
process.env.DETENT_HOME = home;

// Exhaustive tests expect millions of things. A proxy at each finds misspelt names, which the compiler finds, too.
chai.config.useProxy = false;

if (propertySeed !== undefined) fc.configureGlobal({ seed: propertySeed });

// Runs for each test file; other modules are loaded once for all files of a worker.
afterAll(async () => {
  await cleanUp();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});
