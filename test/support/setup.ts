import { afterAll } from 'vitest';
import { cleanUp } from './afterwards.ts';

// Runs for each test file; other modules are loaded once for all files of a worker.
afterAll(cleanUp);
