import type { Declared, Program } from './program.ts';
import type { Statements } from './statements.ts';

/**
 * Where runs live. A room that asks only the statements `S` takes a `Store<S>`; every store is one.
 *
 * Errors are DetentErrors: `DATABASE_FULL`, `DATABASE_BUSY`, `DATABASE_READONLY`, `DATABASE_CORRUPT`, `DATABASE_IO`,
 * `DATABASE_UNUSABLE`, `DATABASE_FAILED`, and `CLOSED` after `close`; what a program throws passes through.
 */
export interface Store<S extends Declared<S> = Statements> {
  /**
   * Runs a program in a transaction and resolves once it is durable. Programs that arrive together share one
   * transaction; one that throws is rolled back alone.
   *
   * `program` may be called more than once: when a shared transaction comes to nothing, each of its programs is run
   * again alone. So it must touch nothing but the store; what follows from it is for after the promise.
   */
  commit<T>(program: () => Program<T>): Promise<T>;
  /** Runs one reading statement outside any transaction. */
  query<K extends keyof S>(name: K, input: S[K]['in']): Promise<S[K]['out']>;
  /**
   * Runs a program that deletes, and then overwrites whatever its rows left in files, in time that grows with the whole
   * database. `complete` is false when something kept it from that: a reader that holds an older state, a full disk. A
   * store without files has no such method.
   */
  erase?<T>(program: () => Program<T>): Promise<{ value: T; complete: boolean }>;
  close(): Promise<void>;
}
