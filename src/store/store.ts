import type { Declared, Program, Request } from './program.ts';
import type { Statements } from './statements.ts';

/**
 * Stores runs. Code that uses only the statements `S` takes a `Store<S>`; every store is assignable to it.
 *
 * Errors are DetentErrors: `DATABASE_FULL`, `DATABASE_BUSY`, `DATABASE_READONLY`, `DATABASE_CORRUPT`, `DATABASE_IO`,
 * `DATABASE_UNUSABLE`, `DATABASE_FAILED`, and `CLOSED` after `close`; what a program throws passes through.
 */
export interface Store<S extends Declared<S> = Statements> {
  /**
   * Runs a program in a transaction and resolves once it is durable. Programs that arrive together share one
   * transaction. If one of them throws, only its own changes are rolled back.
   *
   * `program` may be called more than once: if a shared transaction fails, each of its programs runs again, alone. So
   * it must have no side effects outside the store. Do anything else after the promise resolves.
   *
   * @param key programs of one key run in the order in which they were asked for. A store with one writer at a time keeps that order
   * for all.
   */
  commit<T>(program: () => Program<T>, key?: string): Promise<T>;
  /** Runs one reading statement outside any transaction. */
  query<K extends keyof S>(name: K, input: S[K]['in']): Promise<S[K]['out']>;
  /**
   * Runs a program that deletes rows, and then overwrites their bytes in the files. The time grows with the size of the
   * database. `complete` is false if overwriting failed, for example because a reader holds an older state, or the disk
   * is full. A store without files does not have this method.
   */
  erase?<T>(program: () => Program<T>): Promise<{ value: T; complete: boolean }>;
  /**
   * A number that changes when others have committed, not by commits of this store. A store that one process has to itself
   * does not have this method. https://www.sqlite.org/pragma.html#pragma_data_version
   */
  version?(): number;
  /**
   * A number that changes with every commit, of this store and of others. While it is the same, rows are as they were read before. A
   * store on a server does not have this method: to ask there costs what it costs to read a row.
   */
  moment?(): number;
  /**
   * Throws `DATABASE_FULL` if a commit would probably fail because there is no room. Writes nothing. A store that takes no room
   * on a disk does not have this method.
   */
  checkRoom?(): void;
  /**
   * Throws `DATABASE_UNREACHABLE` if the server does not answer now, without waiting for it as `query` does. A store without a server
   * does not have this method.
   */
  checkThere?(): Promise<void>;
  /**
   * How a process shows the others that share the database that it lives, and what they say to each other. A store that one process
   * has to itself, and one in a file, do not have this method.
   */
  openPresence?(): Presence;
  /**
   * Lets a library that keeps tables of its own on the same server take part in programs; null for one that only wants to execute SQL.
   * A store without a server does not have this method.
   *
   * @returns executes SQL outside of all programs, each time in a transaction of its own
   */
  accompany?(companion: Companion | null): Sql;
  close(): Promise<void>;
}

/** Executes SQL that a library has made, for tables of its own. */
export type Sql = (text: string, values?: unknown[]) => Promise<{ rows: Record<string, unknown>[] }>;

/** Writes rows of its own in the transactions of programs. */
export interface Companion {
  /** Whether a program that asks this concerns it. */
  concerns(asked: Request): boolean;
  /** Is called at the end of each such program, before its commit. If it throws, what it wrote is undone, and the program is committed. */
  join(asked: readonly Request[], sql: Sql): Promise<void>;
  /** Is called with what `join` threw. */
  failed(error: unknown): void;
}

/** A process among those that share a server. */
export interface Presence {
  /** Where messages to it go. */
  readonly channel: string;
  /** How long the lock of a driver must be free until the driver counts as dead, in milliseconds. */
  readonly leaseMs: number;
  /** Holds a lock under this name until {@link free}, also when the connection breaks: as soon as there is one again. */
  hold(name: string): Promise<void>;
  free(): Promise<void>;
  /** The drivers that have not been declared ended, and the newest epoch of all. */
  drivers(): Promise<PresentDrivers>;
  /** Sends texts of at most {@link maxMessageBytes}. They may be lost. */
  tell(messages: readonly { to: string; text: string }[]): Promise<void>;
  /**
   * Begins to listen.
   *
   * @param missed is called after the connection broke: what was said meanwhile was not heard
   */
  hear(on: (text: string) => void, missed: () => void): Promise<void>;
  /** Hears what is said to this channel, too, to which several may listen. */
  join(channel: string): Promise<void>;
  close(): Promise<void>;
}

/** https://www.postgresql.org/docs/current/sql-notify.html */
export const maxMessageBytes = 7_999;

export interface PresentDrivers {
  newest: number;
  drivers: readonly PresentDriver[];
  /** How long the server has been up, in milliseconds: its start freed all locks. */
  upMs: number;
  /** What the clock of the server said beyond `performance.now()`, and how long the answer took, in milliseconds. */
  aheadMs: number;
  tripMs: number;
}

export interface PresentDriver {
  epoch: number;
  /** Where messages to it go. */
  address: string | null;
  /** Whether it holds its lock now, and has said something lately by the clock of the server. */
  isHeld: boolean;
}
