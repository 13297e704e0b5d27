import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { programFile } from '../support/program.ts';

const root = resolve(import.meta.dirname, '../..');

interface Lock {
  packages: Record<string, { dependencies?: Record<string, string> }>;
}

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;

/** A package and all that it needs. */
function needed(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const other of Object.keys(lock.packages[`node_modules/${name}`]?.dependencies ?? {}))
    needed(other, found);
  return found;
}

const sizeOf = (files: readonly string[]) => files.reduce((sum, file) => sum + statSync(file).size, 0);

it('PostgreSQL takes at most 1.5 MB of an installation', () => {
  const packages = [...needed('pg')];
  expect(packages).toContain('pg-protocol');
  const files = packages.flatMap((name) =>
    globSync('**', { cwd: join(root, 'node_modules', name), withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const parts = globSync('**/*.js', { cwd: dirname(dirname(programFile('src/index'))) }).map((file) =>
    join(dirname(dirname(programFile('src/index'))), file),
  );
  // What only its modules say.
  const own = parts.filter((file) => /detent_migrations|detent_copy/.test(readFileSync(file, 'utf8')));
  expect(own).not.toEqual([]);
  expect(sizeOf(files) + sizeOf(own)).toBeLessThan(1_500_000);
});
