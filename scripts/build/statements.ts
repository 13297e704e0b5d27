import type { Plugin } from 'rolldown';
import {
  compiledMigration,
  compiledStatement,
  migrationNames,
  newSchema,
} from '../../src/store/sql/compiled.ts';
import { statements as all, type StatementName } from '../../src/store/statements.ts';
import { plainNames } from './plain-names.ts';

const filter = { id: /[\\/]src[\\/]store[\\/]sql[\\/]compiled\.ts$/ };

/** Prints the statements and migrations of the store as text of SQL, so that the published package has and loads no Kysely. */
export const statements: Plugin = {
  name: 'statements of the store',
  load: { filter, handler: () => ({ code: printed(), moduleType: 'js' }) },
};

/** Stands for a quote within a text. */
const quote = '\uE000';
/** Stands for the statements until it is known which of them the bundle asks. */
const mark = /["'`]@statements["'`]/;

/**
 * The newest migration when the core first had a database. It makes new ones whole, and has the migrations after this one
 * alone: no device has an older database.
 */
const firstOfCore = '0034_notices';

/**
 * Prints only what one bundle asks: the statements whose names stand in its code. Every name does, because each part of the
 * program says which statements it asks.
 */
export const askedStatements: Plugin = {
  name: 'statements that are asked',
  load: { filter, handler: () => ({ code: printedForCore(), moduleType: 'js' }) },
  // The names may stand in another file than the statements.
  generateBundle(_, files) {
    const chunks = Object.values(files).filter((file) => file.type === 'chunk');
    const whole = chunks.map(({ code }) => code).join('\n');
    const names = (Object.keys(all) as StatementName[]).filter((name) =>
      new RegExp(`["'\`]${name}["'\`]`).test(whole),
    );
    // The minifier has been here: names of fields need no quotes.
    const printed = JSON.stringify(compiledOf(names, plainNames), (_, one) =>
      typeof one === 'string' ? one.replaceAll('"', quote) : one,
    )
      .replace(/"(\w+)":/g, '$1:')
      .replaceAll(quote, '\\"');
    for (const chunk of chunks) chunk.code = chunk.code.replace(mark, () => `(${printed})`);
  },
};

/** What stands in `dist/` for src/store/sql/compiled.ts. Few starts need the migrations: they stay text until then. */
function printed(): string {
  const steps = Object.fromEntries(migrationNames.map((name) => [name, compiledMigration(name)]));
  return `
    const statements = ${JSON.stringify(compiledOf(Object.keys(all) as StatementName[]))};
    export const compiledStatement = (name) => statements[name];
    export const migrationNames = ${JSON.stringify(migrationNames)};
    const migrations = ${JSON.stringify(JSON.stringify(steps))};
    export const newSchema = () => ${JSON.stringify(newSchema())};
    export const compiledMigration = (name) => JSON.parse(migrations)[name];`;
}

function printedForCore(): string {
  const at = migrationNames.indexOf(firstOfCore);
  if (at < 0) throw new Error(`there is no migration ${firstOfCore}: correct firstOfCore`);
  const later = migrationNames.slice(at + 1);
  const steps = Object.fromEntries(later.map((name) => [name, compiledMigration(name)]));
  return `
    import { DetentError } from '../../protocol/error.ts';
    const statements = '@statements';
    export const compiledStatement = (name) => statements[name];
    export const migrationNames = ${JSON.stringify(migrationNames)};
    const migrations = ${JSON.stringify(steps)};
    export const newSchema = () => ${JSON.stringify(plainNames(newSchema()))};
    export const compiledMigration = (name) => {
      if (migrations[name]) return migrations[name];
      throw new DetentError(
        'DATABASE_OLDER',
        'this database is older than detent/core: open it once with the package detent on Node, which migrates it',
      );
    };`;
}

function compiledOf(names: readonly StatementName[], printedAs = (sql: string) => sql) {
  const all = names.map((name) => {
    const { sql, ...rest } = compiledStatement(name);
    return [name, { ...rest, sql: printedAs(sql) }];
  });
  return Object.fromEntries(all);
}
