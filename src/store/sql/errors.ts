import { DetentError, messageOf } from '../../protocol/error.ts';

/**
 * SQLite result code prefix → our code, what to do, whether a retry may succeed. https://www.sqlite.org/rescode.html
 */
const known: readonly (readonly [prefix: string, code: string, remedy: string, retryable: boolean])[] = [
  ['SQLITE_FULL', 'DATABASE_FULL', 'free some disk space (or raise the size limit), then resume', true],
  ['SQLITE_BUSY', 'DATABASE_BUSY', 'another process holds it; stop that process or try again', true],
  ['SQLITE_LOCKED', 'DATABASE_BUSY', 'another process holds it; stop that process or try again', true],
  ['SQLITE_PROTOCOL', 'DATABASE_BUSY', 'other processes are opening it; try again', true],
  ['SQLITE_READONLY_DBMOVED', 'DATABASE_LOST', 'put it back and start this process again', false],
  ['SQLITE_READONLY', 'DATABASE_READONLY', 'make the file and its folder writable', false],
  ['SQLITE_CANTOPEN', 'DATABASE_UNUSABLE', 'check that its folder exists and is writable', false],
  ['SQLITE_PERM', 'DATABASE_UNUSABLE', 'check the permissions of the file and its folder', false],
  ['SQLITE_CORRUPT', 'DATABASE_CORRUPT', 'restore a backup, or move the file away to start anew', false],
  ['SQLITE_NOTADB', 'DATABASE_CORRUPT', 'name another file, or move it away', false],
  ['SQLITE_IOERR', 'DATABASE_IO', 'check the disk', true],
  ['SQLITE_NOMEM', 'DATABASE_FAILED', 'free some memory', true],
];

/** A SQLite error as a DetentError that says what to do; anything else unchanged. */
export function databaseError(error: unknown, file: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!code.startsWith('SQLITE_')) return error;
  const match = known.find(([prefix]) => code.startsWith(prefix));
  const [, ours, remedy, retryable] = match ?? [code, 'DATABASE_FAILED', 'see the cause', false];
  return new DetentError(ours, `database ${file}: ${messageOf(error)}; ${remedy}`, {
    details: { file, sqlite: code },
    retryable,
    cause: error,
  });
}
