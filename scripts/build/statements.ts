import type { Plugin } from 'rolldown';
import {
  compiledMigration,
  compiledStatement,
  migrationNames,
  newSchema,
} from '../../src/store/sql/compiled.ts';
import { statements as all, type StatementName } from '../../src/store/statements.ts';

/** Prints the statements and migrations of the store as text of SQL, so that the published package has and loads no Kysely. */
export const statements: Plugin = {
  name: 'statements of the store',
  load: {
    filter: { id: /[\\/]src[\\/]store[\\/]sql[\\/]compiled\.ts$/ },
    handler: () => ({ code: printed(), moduleType: 'js' }),
  },
};

/** What stands in `dist/` for src/store/sql/compiled.ts. Few starts need the migrations: they stay text until then. */
function printed(): string {
  const names = Object.keys(all) as StatementName[];
  const compiled = Object.fromEntries(names.map((name) => [name, compiledStatement(name)]));
  const steps = Object.fromEntries(migrationNames.map((name) => [name, compiledMigration(name)]));
  return `
    const statements = ${JSON.stringify(compiled)};
    export const compiledStatement = (name) => statements[name];
    export const migrationNames = ${JSON.stringify(migrationNames)};
    const migrations = ${JSON.stringify(JSON.stringify(steps))};
    export const newSchema = () => ${JSON.stringify(newSchema())};
    export const compiledMigration = (name) => JSON.parse(migrations)[name];`;
}
