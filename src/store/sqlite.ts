/** The store on SQLite: in a file, in memory, and its copies. */
export { type Backup, type BackupOptions, backupDatabase } from './sql/backup.ts';
export { databaseError } from './sql/errors.ts';
export { type FileLock, isLocked, takeFileLock } from './sql/file-lock.ts';
export { openInMemory } from './sql/in-memory.ts';
export { needsMigration } from './sql/migrate.ts';
export { holdInProcess, notePlace, placeOf } from './sql/place.ts';
export { openSqlite, SqliteStore } from './sql/sqlite.ts';
