import { Kysely, PostgresAdapter, PostgresQueryCompiler } from 'kysely';
import { type CompiledStatement, compileFor } from '../query/compile.ts';
import { Compiling } from '../query/compiling.ts';
import type { Database } from '../query/database.ts';
import { postgresDialect } from '../query/dialect.ts';
import { type StatementName, statements } from '../statements.ts';

/*
 * Run from source, this module compiles a statement when it is first asked. In `dist/` stands what it answers, printed by
 * scripts/build/statements.ts, and no Kysely.
 */

/** A statement as PostgreSQL executes it. */
interface PostgresStatement extends CompiledStatement {
  /** As a program asks it: what it relies on stays as it is until its commit. */
  locking: string;
  /** As a program asks it that goes on as if one row had changed: without one the server refuses it, and all up to the commit. */
  guessed: string;
  /** Changes one row, but where another process was faster: a program may go on as if it had. */
  isLikely: boolean;
}

const compiler = new Kysely<Database>({
  dialect: new Compiling(new PostgresAdapter(), new PostgresQueryCompiler()),
});

/** Each moves what its program has just read, or what its driver alone moves. */
const likely: readonly StatementName[] = [
  'advanceRun',
  'endRun',
  'startEffect',
  'settleEffect',
  'setTimer',
  'moveSessionHead',
];

/** What the server's log says of a wrong guess, behind the number of rows: "invalid input syntax for type integer". */
const wrongGuess = "' rows, for another process was faster: Detent tries again'";

const compiled = new Map<StatementName, PostgresStatement>();

export function postgresStatement(name: StatementName): PostgresStatement {
  const known = compiled.get(name);
  if (known) return known;
  const { lock, ...statement } = statements[name];
  const { kind, sql, bind } = compileFor(compiler, postgresDialect, statement);
  const alone = kind === 'page' ? paged(sql, bind.length) : sql;
  const made = {
    kind,
    sql: alone,
    bind,
    locking: lock ? `${sql} for ${lock}` : alone,
    guessed: `with "changed" as (${sql} returning 1) select case count(*) when 1 then 1 else (count(*) || ${wrongGuess})::int end from "changed"`,
    isLikely: likely.includes(name),
  };
  compiled.set(name, made);
  return made;
}

/** Of the rows of a page, those that begin before so many characters: the last parameter, which is null for all of them. */
function paged(sql: string, parameters: number): string {
  const lengths = ['body', 'params', 'input']
    .filter((column) => sql.includes(`"${column}"`))
    .map((column) => `coalesce(length("${column}"), 0)`);
  const max = `$${parameters + 1}::bigint`;
  return `select * from (
    select *, sum(${lengths.join(' + ')}) over (rows between unbounded preceding and 1 preceding) as "before" from (${sql}) as "rows"
  ) as "page" where ${max} is null or coalesce("before", 0) < ${max}`;
}
