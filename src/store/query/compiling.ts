import { type Dialect, type DialectAdapter, DummyDriver, type QueryCompiler } from 'kysely';

/** Kysely for a database that it does not connect to: it only compiles statements. */
export class Compiling implements Dialect {
  readonly #adapter: DialectAdapter;
  readonly #compiler: QueryCompiler;

  constructor(adapter: DialectAdapter, compiler: QueryCompiler) {
    this.#adapter = adapter;
    this.#compiler = compiler;
  }

  createAdapter(): DialectAdapter {
    return this.#adapter;
  }

  createDriver(): DummyDriver {
    return new DummyDriver();
  }

  createIntrospector(): never {
    throw new Error('a compiler reads no schema');
  }

  createQueryCompiler(): QueryCompiler {
    return this.#compiler;
  }
}
