/** Returns one row or none, all rows, rows up to so many bytes (`PageLimit`), or the number of changed rows. */
export type Kind = 'get' | 'all' | 'page' | 'run';

/** A statement: its kind, its query, and the types of its input and of its answer. Made by the functions of `query.ts`. */
export interface Statement<In extends object, Out> {
  readonly kind: Kind;
  /** Of a statement that reads: how rows stay as they are until the commit of a program that read them, and of which table. */
  readonly lock?: string;
  /** Builds the query with Kysely. This file does not know Kysely, because the types of the package lead here. */
  build(
    k: never,
    input: never,
    dialect: never,
  ): { compile(): { sql: string; parameters: readonly unknown[] } };
  /** Has no value: it carries the types. */
  readonly types?: { in: In; out: Out };
}

/** Input and answer of each statement of a subject. */
export type StatementTypes<S extends Readonly<Record<string, Statement<object, unknown>>>> = {
  [K in keyof S]: NonNullable<S[K]['types']>;
};
