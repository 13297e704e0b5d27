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
  run<T>(program: Pick<Program<T>, 'next'>): T {
    let step = program.next();
    while (!step.done) {
      const [name, input] = step.value;
      const { statement, kind, bind } = this.#prepared.get(name) ?? this.#prepare(name);
      const values = valuesOfBind(bind, input);
      if (kind === 'get') step = program.next(statement.get(values));
      else if (kind === 'run') step = program.next(Number(statement.run(values).changes));
      else if (kind === 'page' && !isUnbound(input)) {
        const rows = (statement.iterate?.(values) ?? statement.all(values)) as Iterable<LongRow>;
        step = program.next(page(rows, input));
      } else step = program.next(statement.all(values));
    }
    return step.value;
  }

  #prepare(name: StatementName): Prepared {
    const { kind, sql, bind } = compiledStatement(name);
    const prepared = { statement: this.#db.prepare(sql), kind, bind };
    this.#prepared.set(name, prepared);
    return prepared;
  }
}
