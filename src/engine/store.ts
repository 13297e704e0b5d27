import type { In, Out, Program, StatementName } from './statements.ts';

/**
 * Where runs live.
 *
 * Errors are DetentErrors: `DATABASE_FULL`, `DATABASE_BUSY`, `DATABASE_READONLY`, `DATABASE_CORRUPT`,
 * `DATABASE_FAILED`; what a program throws passes through.
 */
export interface Store {
  /**
   * Runs a program in a transaction and resolves once it is durable. Programs that arrive together share one
   * transaction; one that throws is rolled back alone.
   */
  commit<T>(program: () => Program<T>): Promise<T>;
  /** Runs one reading statement outside any transaction. */
  query<K extends StatementName>(name: K, input: In<K>): Promise<Out<K>>;
  close(): Promise<void>;
}
