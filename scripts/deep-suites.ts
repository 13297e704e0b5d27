/**
 * Prints the test files that run less every day than at their deep size: those that reach `inSizes` of
 * test/support/size.ts by their imports. `.ci/run` runs them a second time, deep; what they print is the arguments.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const size = join(root, 'test/support/size.ts');

const suites = globSync('test/**/*.test.ts', { cwd: root }).filter((file) =>
  reaches(join(root, file), new Set()),
);
console.log(suites.sort().join(' '));

function reaches(file: string, seen: Set<string>): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  const imports = [
    ...readFileSync(file, 'utf8').matchAll(/^import (?:type )?(\{[^}]*\}|[^'{]*) ?from '(\.[^']+\.ts)'/gm),
  ];
  return imports.some(([, names = '', path = '']) => {
    const imported = resolve(dirname(file), path);
    if (imported === size) return /\binSizes\b/.test(names);
    return imported.startsWith(join(root, 'test/')) && reaches(imported, seen);
  });
}
