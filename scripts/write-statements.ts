/**
 * Compiles the statements of the store ahead of time, so that no program loads Kysely only to say the same again.
 *
 *     node scripts/write-statements.ts           # brings src/store/sql/compiled.ts up to date
 *     node scripts/write-statements.ts --check   # exit code 1 when it is out of date
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type CompiledStatements, compileStatements } from '../src/store/sql/compile.ts';
import { migrations } from '../src/store/sql/migrations.ts';

const file = new URL('../src/store/sql/compiled.ts', import.meta.url);

if (import.meta.main) {
  const wanted = compiledSource(compileStatements(), Object.keys(migrations));
  const isCheck = process.argv.includes('--check');
  if (readFileSync(file, { encoding: 'utf8', flag: 'a+' }) !== wanted) {
    if (isCheck) {
      console.error('src/store/sql/compiled.ts is out of date; run: node scripts/write-statements.ts');
      process.exitCode = 1;
    } else writeFileSync(file, wanted);
  }
}

/** The module that the store imports. */
export function compiledSource(statements: CompiledStatements, migrationNames: readonly string[]): string {
  return `// Written by scripts/write-statements.ts from queries/ and migrations.ts; a test fails while it is out of date.
import type { CompiledStatements } from './compile.ts';

export const migrationNames: readonly string[] = ${JSON.stringify(migrationNames)};

export const compiledStatements: CompiledStatements = ${JSON.stringify(statements, null, 2)};
`;
}
