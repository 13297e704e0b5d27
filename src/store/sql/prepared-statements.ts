import type { Program } from '../program.ts';
import { type LongRow, type PageLimit, textLength } from '../rows.ts';
import type { StatementName } from '../statements.ts';
import { type CompiledStatement, compiledStatement } from './compiled.ts';
import type { SqlDriver, SqlStatement } from './driver.ts';

interface Prepared extends Pick<CompiledStatement, 'kind' | 'bind'> {
  statement: SqlStatement;
}

/** The statements of an open database. Each is prepared when it is first executed. */
export class PreparedStatements {
  readonly #db: Pick<SqlDriver, 'prepare'>;
  readonly #prepared = new Map<StatementName, Prepared>();

  constructor(db: Pick<SqlDriver, 'prepare'>) {
    this.#db = db;
  }

  /** Runs a program to its end, in the transaction that is open. */
  run<T>(program: Program<T>): T {
    let step = program.next();
    while (!step.done) step = program.next(this.execute(step.value[0], step.value[1]));
    return step.value;
  }

  execute(name: StatementName, input: object): unknown {
    const { statement, kind, bind } = this.#prepared.get(name) ?? this.#prepare(name);
    const values = bind.map((from) =>
      typeof from === 'string' ? ((input as Record<string, unknown>)[from] ?? null) : from.constant,
    );
    if (kind === 'run') return Number(statement.run(values).changes);
    if (kind === 'get') return statement.get(values);
    if (kind === 'page' && !isUnbound(input))
      return page((statement.iterate?.(values) ?? statement.all(values)) as Iterable<LongRow>, input);
    return statement.all(values);
  }

  #prepare(name: StatementName): Prepared {
    const { kind, sql, bind } = compiledStatement(name);
    const prepared = { statement: this.#db.prepare(sql), kind, bind };
    this.#prepared.set(name, prepared);
    return prepared;
  }
}

/** Whether the bytes of a page have no say: it has one row, or all. Read at once, rows cost half of what each by itself does. */
function isUnbound({ limit, maxBytes }: PageLimit & { limit?: number }): boolean {
  return limit === 1 || maxBytes === undefined;
}

/** The first rows, up to the one that fills the page. Reads no further. */
function page<Row extends LongRow>(
  rows: Iterable<Row>,
  { maxBytes = Number.POSITIVE_INFINITY }: PageLimit,
): Row[] {
  const read: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    read.push(row);
    bytes += textLength(row);
    if (bytes >= maxBytes) break;
  }
  return read;
}
