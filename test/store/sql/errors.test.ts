import { describe, expect, it } from 'vitest';
import type { DetentError } from '../../../src/protocol/error.ts';
import { databaseError } from '../../../src/store/sql/errors.ts';

const failed = ['DATABASE_FAILED', false];
const busy = ['DATABASE_BUSY', true];

describe('every error of SQLite has a code of ours', () => {
  // https://www.sqlite.org/rescode.html
  it.each([
    ['SQLITE_ERROR', ...failed],
    ['SQLITE_INTERNAL', ...failed],
    ['SQLITE_PERM', 'DATABASE_UNUSABLE', false],
    ['SQLITE_ABORT_ROLLBACK', ...failed],
    ['SQLITE_BUSY', ...busy],
    ['SQLITE_BUSY_RECOVERY', ...busy],
    ['SQLITE_BUSY_SNAPSHOT', ...busy],
    ['SQLITE_BUSY_TIMEOUT', ...busy],
    ['SQLITE_LOCKED', ...busy],
    ['SQLITE_LOCKED_SHAREDCACHE', ...busy],
    ['SQLITE_NOMEM', 'DATABASE_FAILED', true],
    ['SQLITE_READONLY', 'DATABASE_READONLY', false],
    ['SQLITE_READONLY_CANTLOCK', 'DATABASE_READONLY', false],
    ['SQLITE_READONLY_DBMOVED', 'DATABASE_LOST', false],
    ['SQLITE_INTERRUPT', ...failed],
    ['SQLITE_IOERR', 'DATABASE_IO', true],
    ['SQLITE_IOERR_SHORT_READ', 'DATABASE_IO', true],
    ['SQLITE_IOERR_SHMSIZE', 'DATABASE_IO', true],
    ['SQLITE_CORRUPT', 'DATABASE_CORRUPT', false],
    ['SQLITE_CORRUPT_VTAB', 'DATABASE_CORRUPT', false],
    ['SQLITE_FULL', 'DATABASE_FULL', true],
    ['SQLITE_CANTOPEN', 'DATABASE_UNUSABLE', false],
    ['SQLITE_CANTOPEN_ISDIR', 'DATABASE_UNUSABLE', false],
    ['SQLITE_PROTOCOL', ...busy],
    ['SQLITE_SCHEMA', ...failed],
    ['SQLITE_TOOBIG', ...failed],
    ['SQLITE_CONSTRAINT_UNIQUE', ...failed],
    ['SQLITE_MISMATCH', ...failed],
    ['SQLITE_MISUSE', ...failed],
    ['SQLITE_AUTH', ...failed],
    ['SQLITE_RANGE', ...failed],
    ['SQLITE_NOTADB', 'DATABASE_CORRUPT', false],
  ])('%s: %s, retryable %s', (code, ours, retryable) => {
    const error = databaseError(Object.assign(new Error('no'), { code }), '/f.db') as DetentError;
    expect([error.name, error.code, error.retryable]).toEqual(['DetentError', ours, retryable]);
  });
});
