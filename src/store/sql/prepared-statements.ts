import type { Program } from '../program.ts';
import { isUnbound, page } from '../query/answer.ts';
import { type CompiledStatement, valuesOfBind } from '../query/compile.ts';
import type { LongRow } from '../rows.ts';
import type { StatementName } from '../statements.ts';
import { compiledStatement } from './compiled.ts';
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

  /** Executes one statement. */
  execute(name: StatementName, input: object): unknown {
    const { statement, kind, bind } = this.#prepared.get(name) ?? this.#prepare(name);
    const values = valuesOfBind(bind, input);
    if (kind === 'get') return statement.get(values);
    if (kind === 'run') return Number(statement.run(values).changes);
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
