import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { plainNames } from '../../scripts/build/plain-names.ts';
import { compiledStatement, newSchema } from '../../src/store/sql/compiled.ts';
import { type StatementName, statements } from '../../src/store/statements.ts';

describe('statements without the quotes that they do not need', () => {
  const opened = (schema: string) => {
    const db = new Sqlite(':memory:');
    db.exec(schema);
    return db;
  };
  const [quoted, plain] = [opened(newSchema()), opened(plainNames(newSchema()))];

  it('make the same tables', () => {
    for (const { name } of quoted.prepare<[], { name: string }>('select name from pragma_table_list').all()) {
      const columns = `select * from pragma_table_info('${name}')`;
      expect(plain.prepare(columns).all(), name).toEqual(quoted.prepare(columns).all());
    }
  });

  it('do the same in SQLite, step by step', () => {
    for (const name of Object.keys(statements) as StatementName[]) {
      const { sql, bind } = compiledStatement(name);
      const values = bind.map(() => null);
      const steps = (text: string) => quoted.prepare(`explain ${text}`).all(...values);
      expect(steps(plainNames(sql)), name).toEqual(steps(sql));
    }
  });

  it('keep those of words that SQLite has itself, and of texts', () => {
    expect(plainNames(`select "order"."a_b" from "order" where x = 'a "b" c'`)).toBe(
      `select "order".a_b from "order" where x = 'a "b" c'`,
    );
  });
});
