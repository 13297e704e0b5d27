import type { Plugin } from 'rolldown';
import { postgresStatement } from '../../src/store/postgres/compiled.ts';
import { statements as all, type StatementName } from '../../src/store/statements.ts';

/** Prints what src/store/postgres/compiled.ts answers, so that the published package has and loads no Kysely. */
export const postgresStatements: Plugin = {
  name: 'statements of the store on PostgreSQL',
  load: {
    filter: { id: /[\\/]src[\\/]store[\\/]postgres[\\/]compiled\.ts$/ },
    handler: () => ({ code: printed(), moduleType: 'js' }),
  },
};

function printed(): string {
  const names = Object.keys(all) as StatementName[];
  const compiled = Object.fromEntries(names.map((name) => [name, postgresStatement(name)]));
  return `
    const statements = ${JSON.stringify(compiled)};
    export const postgresStatement = (name) => statements[name];`;
}
