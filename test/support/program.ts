import { join } from 'node:path';
import { inject } from 'vitest';

/**
 * A file of the package that tests start processes of (test/support/bundled-program.ts): `src/cli/main`, `src/index`, or
 * a module of a test's own that is listed there.
 */
export function programFile(module: string): string {
  return join(inject('program'), 'dist', `${module}.js`);
}
