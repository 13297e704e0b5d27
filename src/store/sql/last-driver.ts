import Sqlite from 'better-sqlite3';

/**
 * The process that last took the driver lock of a database; undefined if there was none, or the file cannot be read.
 */
export function lastDriverPid(file: string): number | undefined {
  let db: Sqlite.Database | undefined;
  try {
    db = new Sqlite(file, { readonly: true, fileMustExist: true });
    return db.prepare('select pid from drivers order by epoch desc limit 1').pluck().get() as
      | number
      | undefined;
  } catch {
    // The pid only improves an error message.
    return undefined;
  } finally {
    db?.close();
  }
}
