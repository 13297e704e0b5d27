import { messageOf } from '../../protocol/error.ts';

/** The SQLite of a host, opened: better-sqlite3 is one as it stands. It answers at once, and one program has it to itself. */
export interface SqlDriver {
  /** Null values are null, numbers numbers, text text, and nothing else comes in or goes out. */
  prepare(sql: string): SqlStatement;
  /** Executes statements without parameters and without an answer. */
  exec(sql: string): unknown;
  close(): unknown;
}

/** A prepared statement. Its parameters are `?`, in order. */
export interface SqlStatement {
  run(values: readonly unknown[]): { changes: number | bigint };
  /** The first row, or undefined. */
  get(values: readonly unknown[]): unknown;
  all(values: readonly unknown[]): unknown[];
  /** Reads row by row. Left out where the host only has whole answers. */
  iterate?(values: readonly unknown[]): Iterable<unknown>;
}

/** Does work in a transaction, which holds the lock for writing from its beginning. */
export function inTransaction<T>(db: Pick<SqlDriver, 'exec'>, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const value = work();
    db.exec('COMMIT');
    return value;
  } catch (error) {
    rollBack(db);
    throw error;
  }
}

export function rollBack(db: Pick<SqlDriver, 'exec'>): void {
  try {
    db.exec('ROLLBACK');
  } catch {
    // A full database has rolled back already.
  }
}

/** What SQLite says of itself, in the words that every binding passes on: https://www.sqlite.org/c3ref/errcode.html */
const words: readonly (readonly [says: RegExp, code: string])[] = [
  [/disk is full/, 'SQLITE_FULL'],
  [/is locked/, 'SQLITE_BUSY'],
  [/readonly database/, 'SQLITE_READONLY'],
  [/malformed/, 'SQLITE_CORRUPT'],
  [/not a database/, 'SQLITE_NOTADB'],
  [/disk I\/O error/, 'SQLITE_IOERR'],
  [/out of memory/, 'SQLITE_NOMEM'],
];

/** Gives the errors of a driver the code that those of better-sqlite3 have. */
export function withCodes(db: SqlDriver): SqlDriver {
  return {
    prepare: (sql) => {
      const statement = coded(() => db.prepare(sql));
      return {
        run: (values) => coded(() => statement.run(values)),
        get: (values) => coded(() => statement.get(values)),
        all: (values) => coded(() => statement.all(values)),
      };
    },
    exec: (sql) => coded(() => db.exec(sql)),
    close: () => db.close(),
  };
}

function coded<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const message = messageOf(cause);
    const [, code = 'SQLITE_ERROR'] = words.find(([says]) => says.test(message)) ?? [];
    throw Object.assign(new Error(message, { cause }), { code });
  }
}
