/**
 * Compiles the statements and migrations of the store ahead of time, so that no program loads Kysely.
 *
 *     node scripts/write-statements.ts           # brings src/store/sql/compiled*.ts up to date
 *     node scripts/write-statements.ts --check   # exit code 1 when one of them is out of date
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { compileMigrations, compileStatements } from '../src/store/sql/compile.ts';
import type { CompiledMigrations, CompiledStatements } from '../src/store/sql/compiled-statement.ts';

const folder = new URL('../src/store/sql/', import.meta.url);

if (import.meta.main) {
  const isCheck = process.argv.includes('--check');
  for (const [name, wanted] of Object.entries(compiledSources(compileStatements(), compileMigrations()))) {
    const file = new URL(name, folder);
    if (readFileSync(file, { encoding: 'utf8', flag: 'a+' }) === wanted) continue;
    if (isCheck) {
      console.error(`src/store/sql/${name} is out of date; run: node scripts/write-statements.ts`);
      process.exitCode = 1;
    } else writeFileSync(file, wanted);
  }
}

/** The modules that the store imports, by their names. The migrations have one of their own: few starts need them. */
export function compiledSources(
  statements: CompiledStatements,
  migrations: CompiledMigrations,
): Readonly<Record<string, string>> {
  const names = Object.keys(migrations);
  return {
    'compiled.ts': `// Written by scripts/write-statements.ts from queries/ and migrations.ts; a test fails while it is out of date.
import type { CompiledStatements } from './compiled-statement.ts';

export const migrationNames: readonly string[] = ${JSON.stringify(names)};

export const compiledStatements: CompiledStatements = ${JSON.stringify(statements, null, 2)};
`,
    'compiled-migrations.ts': `// Written by scripts/write-statements.ts from migrations.ts; a test fails while it is out of date.
import type { CompiledMigrations } from './compiled-statement.ts';

export const compiledMigrations: CompiledMigrations = ${JSON.stringify(migrations, null, 2)};
`,
  };
}
