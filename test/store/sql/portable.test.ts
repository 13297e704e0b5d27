import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../../src/store/query/dialect.ts';
import { all } from '../../../src/store/query/query.ts';
import type { Statement } from '../../../src/store/query/statement.ts';
import { compile } from '../../../src/store/sql/compiled.ts';
import { statements } from '../../../src/store/statements.ts';

/** What the helpers say: nothing that a database reads, because each database gets its own words there. */
const helped = sql<never>`helped`;
const noDialect: Dialect = {
  nextKey: () => helped,
  nextPlace: () => helped,
  greater: () => helped,
  unindexed: () => helped,
  jsonField: () => helped,
  withField: () => helped,
  quoted: () => helped,
  contains: () => helped,
  pairs: () => helped,
  free: () => helped,
  kept: (query) => query,
};

/** What SQLite alone reads, or PostgreSQL reads otherwise. */
const foreign: readonly RegExp[] = [
  /\bjson_?\w*\(|->/,
  /\b(?:rowid|_rowid_|oid)\b/,
  /\b(?:unixepoch|strftime|julianday|datetime|ifnull|iif|instr|printf|group_concat|total|typeof|char|unicode|glob|hex)\(/,
  // Of several values, SQLite's alone is a scalar.
  /\b(?:max|min)\([^()]*,/,
  /\bglob\b|\bmatch\b|\bregexp\b|\bcollate\b|\bindexed by\b|\breplace into\b|\bor (?:replace|ignore|abort)\b/,
  // A plus sign before a column. Before parameters the compiler writes one.
  /(?:\b(?:select|where|and|or|not|by|on|case|when|then|else)|[(,=<>]) ?\+ ?["\w]/,
  // An operand of `is` that is no `null`, and a parameter whose type nothing tells.
  /\bis (?:not )?\+?\?/,
  /\+\?\)? is (?:not )?null/,
  /select \+\?/,
  // A comparison as a number.
  /[+*-] ?\([^()]*(?:=|<|>)[^()]*\)/,
];

const foreignIn = (statement: Statement<object, unknown>): string[] => {
  // Constants are text, and no names.
  const text = compile(statement, noDialect).sql.replace(/'[^']*'/g, "''");
  return foreign.flatMap((words) => words.exec(text)?.[0] ?? []);
};

describe('the statements of a store', () => {
  it('say by helpers alone what one database reads and another does not', () => {
    const found = Object.entries(statements).map(([name, statement]) => [name, foreignIn(statement)]);
    expect(found.filter(([, words]) => words?.length)).toEqual([]);
  });

  it.each([
    ["json_extract(body, '$.by')"],
    ["body ->> 'by'"],
    ['rowid'],
    ['unixepoch()'],
    ['ifnull(seq, 0)'],
    ["instr(body, 'a')"],
    ['max(seq, 1)'],
    ['+seq'],
    ["seq + (type = 'a')"],
    ["case when body glob 'a*' then 1 end"],
  ])('do not say %s: the test sees it', (planted) => {
    const statement = all<{ run: number }, unknown>((k) =>
      k.selectFrom('run_events').select(sql.raw(planted).as('a')),
    );
    expect(foreignIn(statement)).not.toEqual([]);
  });

  it('do not compare what has no type with null: the test sees it', () => {
    const is = all<{ user: string | null }, unknown>((k, p) =>
      k.selectFrom('sessions').where('user_id', 'is', p.user).select('pk'),
    );
    const unknown = all<{ user: string | null }, unknown>((k, p) =>
      k.selectFrom('sessions').where(sql<boolean>`${p.user} is null`).select('pk'),
    );
    for (const planted of [is, unknown]) expect(foreignIn(planted)).toHaveLength(1);
  });
});
